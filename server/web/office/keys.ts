/**
 * Keys of every page, outside of fields: `/` goes to the search field, j and k walk through the rows of lists, and Enter opens
 * one, as on any link.
 */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof Element && target.matches('input, textarea, select')) return;
    if (document.querySelector('dialog:modal')) return;
    if (event.key === '/') {
      const field = document.querySelector<HTMLInputElement>('[data-search]');
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    }
    if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1);
  });
}

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at === -1 ? (by === 1 ? rows[0] : rows.at(-1)) : rows[at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
