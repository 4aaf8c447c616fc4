// The colours and the font of diagrams: those of the page around them.

export interface DiagramTheme {
  dark: boolean;
  font: string;
  /** Variables of Mermaid's base theme, as `rgb(…)`. */
  colours: Record<string, string>;
}

const COLOURS: Record<string, string> = {
  background: '--paper',
  primaryColor: '--sunken',
  primaryTextColor: '--ink',
  primaryBorderColor: '--line-strong',
  secondaryColor: '--chosen',
  secondaryTextColor: '--ink',
  secondaryBorderColor: '--line-strong',
  tertiaryColor: '--raised',
  tertiaryTextColor: '--ink',
  tertiaryBorderColor: '--line',
  lineColor: '--ink-faint',
  textColor: '--ink',
  titleColor: '--ink',
  edgeLabelBackground: '--paper',
  clusterBkg: '--raised',
  clusterBorder: '--line-strong',
  noteBkgColor: '--mark',
  noteTextColor: '--ink',
  noteBorderColor: '--line-strong',
  actorLineColor: '--line-strong',
  labelBoxBkgColor: '--sunken',
  activationBkgColor: '--chosen',
  errorBkgColor: '--sunken',
  errorTextColor: '--danger',
};

export function diagramTheme(): DiagramTheme {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  try {
    const colour = (name: string) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const colours = Object.fromEntries(Object.entries(COLOURS).map(([variable, name]) => [variable, colour(name)]));
    const ink = /\d+/.exec(colours['textColor'] ?? '')?.[0] ?? '0';
    probe.style.fontFamily = 'var(--font-text)';
    return { dark: Number(ink) > 127, font: getComputedStyle(probe).fontFamily, colours };
  } finally {
    probe.remove();
  }
}
