/**
 * Copies a text. A page on plain HTTP has no clipboard, and a browser may refuse it.
 *
 * @param shown the element that shows the text, or a part of it: the failure selects it, so that the phone's own menu copies it
 * @returns whether the clipboard has it
 */
export async function copyText(text: string, shown?: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    return false;
  }
}
