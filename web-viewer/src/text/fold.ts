// Folding as the engine does it for names: width, case, accents and kana make no difference. Here it also remembers
// where every folded letter came from, so that matches can be shown in the text as written.

export interface Folded {
  text: string;
  /** For each UTF-16 unit of `text`, and its end, the offset in the original. */
  origins: number[];
}

const CLUSTERS = /[^](?:[\p{M}ﾞﾟ\u{200d}])*/gu;
const ACCENTS = /[\u0300-\u036f]/g;
const KATAKANA = /[ァ-ヶ]/g;

export function foldWithOrigins(original: string): Folded {
  let text = '';
  const origins: number[] = [];
  for (const { 0: cluster, index } of original.matchAll(CLUSTERS)) {
    const folded = cluster
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFD')
      .replace(ACCENTS, '')
      .normalize('NFC')
      .replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60))
      .replace('ß', 'ss')
      .replace('ς', 'σ');
    text += folded;
    for (let unit = 0; unit < folded.length; unit++) origins.push(index);
  }
  origins.push(original.length);
  return { text, origins };
}

export function fold(original: string): string {
  return foldWithOrigins(original).text;
}
