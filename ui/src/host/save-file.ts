/** Saves a file in the browser's download folder. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: url, download: file.name });
  document.body.append(link);
  link.click();
  link.remove();
  // After this time, the download has started, so the URL is no longer needed.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
