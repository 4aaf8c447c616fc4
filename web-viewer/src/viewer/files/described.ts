// The code that a page describes, as it is written: files, folders and globs.

/** The entries of `source_refs` in front matter. */
export function sourcesOf(matter: Readonly<Record<string, unknown>> | undefined): string[] {
  const written = matter?.['source_refs'] ?? matter?.['sourceRefs'];
  const entries = (Array.isArray(written) ? written : [written]).filter((entry): entry is string => typeof entry === 'string');
  return [...new Set(entries.map((entry) => entry.trim().replace(/^\.\//, '')))].filter(Boolean);
}

/** Whether it is a file rather than a folder or a glob. */
export const isFile = (entry: string): boolean => !/[*?[\]{}]/.test(entry) && /[^/.][^/]*\.[^/.]+$|^(?:.*\/)?(Makefile|Dockerfile)$/.test(entry);
