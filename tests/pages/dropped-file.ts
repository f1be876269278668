import type { Page } from 'playwright-core';

/** Drops a file onto a page, as a drag from a folder ends. */
export async function drop(
  page: Page,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): Promise<void> {
  await page.evaluate(
    ([base64, title]) => {
      const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([content], title));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [bytes.toString('base64'), name] as const,
  );
}
