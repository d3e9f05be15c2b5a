/** Hands a file to the browser's downloads. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: url, download: file.name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
