// Parts of paths. They are separated by `/`, as the engine writes them.

/** The folder, without a slash at its end; empty for a path at the top. */
export function folderOf(path: string): string {
  return path.replace(/\/?[^/]*$/, '');
}

/** The last part: the name of the file or folder. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const PICTURE = /\.(png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i;

/** Whether browsers show the file as a picture, by its name. */
export function isPicture(path: string): boolean {
  return PICTURE.test(path);
}
