/** Offers the files to the phone's other apps; where it cannot share them, they go to its downloads. */
export async function shareFiles(files: readonly File[]): Promise<'shared' | 'saved' | 'cancelled'> {
  const data = { files: [...files] };
  if (navigator.canShare?.(data)) {
    try {
      await navigator.share(data);
      return 'shared';
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return 'cancelled';
    }
  }
  for (const file of files) save(file);
  return 'saved';
}

function save(file: File): void {
  const href = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href, download: file.name }).click();
  // Browsers do not report the end of a download.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
