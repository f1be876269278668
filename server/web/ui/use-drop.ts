import { useLayoutEffect } from 'react';

/**
 * Takes files that are dropped anywhere on the page: the browser would leave the page for a file that misses its panel.
 *
 * @param mayTake false while no file counts
 */
export function useDrop(take: (files: FileList) => void, mayTake: () => boolean): void {
  useLayoutEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      if (event.dataTransfer && mayTake()) take(event.dataTransfer.files);
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  });
}
