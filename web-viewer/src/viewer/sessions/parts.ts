// Parts of pages, as they are shown.

/** Parts of the same page that follow each other, in order. */
export function byPage<P extends { filepath: string }>(parts: readonly P[]): { filepath: string; parts: P[] }[] {
  const pages: { filepath: string; parts: P[] }[] = [];
  for (const part of parts) {
    const last = pages.at(-1);
    if (last?.filepath === part.filepath) last.parts.push(part);
    else pages.push({ filepath: part.filepath, parts: [part] });
  }
  return pages;
}
