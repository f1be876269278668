// Functions that run inside the page: each one contains all that it uses.

/** A target on the page: a visible text, or the name that a screen reader reads. */
export interface Wanted {
  readonly text: string;
  /** The n-th from the top, from 0. */
  readonly nth: number;
  /** What it is for: `act` is touched, `field` takes typing, `surface` takes strokes. */
  readonly kind: 'act' | 'field' | 'surface';
}

/** The point to touch, or the reason why no touch is possible. */
export type Found =
  | {
      readonly at: 'ready';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly name: string;
    }
  /** It is not on the screen, or something lies over it: scroll by `dy` with the finger at this place. */
  | { readonly at: 'away'; readonly x: number; readonly y: number; readonly dy: number; readonly over: string }
  | { readonly at: 'missing'; readonly seen: readonly string[] };

/** Finds one element by its text, among those that a person can see or scroll to. A person waits for a busy one. */
export function findInPage({ text, nth, kind }: Wanted): Found {
  const kinds = {
    act: 'a[href], button, summary, select, [role=button], [role=tab], [role=switch], [role=radio], label',
    field: 'input, textarea, select, [contenteditable=true]',
    surface: 'canvas',
  };
  const plain = (value: string | null | undefined): string => (value ?? '').replace(/\s+/g, ' ').trim();
  const labelOf = (element: Element): string => {
    const own = plain(element.getAttribute('aria-label'));
    if (own !== '') return own;
    const ids = (element.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean);
    const byId = plain(ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' '));
    if (byId !== '') return byId;
    const labels = 'labels' in element && element.labels instanceof NodeList ? [...element.labels] : [];
    const labelled = plain(labels.map((label) => label.textContent).join(' '));
    if (labelled !== '') return labelled;
    return element instanceof HTMLElement ? plain(element.innerText) : plain(element.textContent);
  };
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getClientRects().length > 0 &&
    !element.matches(':disabled, [aria-busy=true]');
  const dialogs = [...document.querySelectorAll('dialog')].filter((dialog) => dialog.matches(':modal'));
  const scope: ParentNode = dialogs.at(-1) ?? document;
  const candidates = [...scope.querySelectorAll(kinds[kind])].filter(isShown);
  const named = candidates.map((element) => ({ element, name: labelOf(element) })).filter(({ name }) => name !== '');
  const rules: readonly ((name: string) => boolean)[] = [
    (name) => name === text,
    (name) => name.startsWith(text),
    (name) => name.includes(text),
  ];
  // Of nested elements with the same text, the inner one is meant: a button in a label.
  const matching = rules.map((fits) => named.filter(({ name }) => fits(name))).find((some) => some.length > nth) ?? [];
  const inner = matching.filter(
    ({ element }) => !matching.some((each) => each.element !== element && element.contains(each.element)),
  );
  const found = inner[nth];
  if (!found) return { at: 'missing', seen: named.map(({ name }) => name) };

  const { element, name } = found;
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  const isHit =
    hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest('label')?.contains(element));
  const isInside = x >= 0 && x <= innerWidth && y >= 0 && y <= innerHeight;
  if (isInside && isHit && (hit === element || element.contains(hit) || hit.closest('label')?.contains(element))) {
    globalThis.aim = { element, isHit: false };
    return { at: 'ready', x, y, width: box.width, height: box.height, name };
  }
  // The finger scrolls the nearest part of the page that scrolls; its own middle is surely on it.
  let pane: Element | null = element.parentElement;
  while (pane && pane.scrollHeight <= pane.clientHeight + 1) pane = pane.parentElement;
  const held = (pane ?? document.documentElement).getBoundingClientRect();
  const [top, bottom] = [Math.max(0, held.top), Math.min(innerHeight, held.bottom)];
  const middle = (top + bottom) / 2;
  const over = hit ? `<${hit.tagName.toLowerCase()}> ${plain(hit.textContent).slice(0, 40)}` : 'nothing';
  return { at: 'away', x: innerWidth / 2, y: middle, dy: Math.round(y - middle), over };
}

/** The element that the finger has found last, and whether the touch after it has reached it. */
interface Aim {
  readonly element: Element;
  isHit: boolean;
}

declare global {
  var aim: Aim | undefined;
}

/** Watches whether the next touch reaches the element that was found last. */
export function watchTouch(): void {
  addEventListener(
    'pointerdown',
    ({ target }) => {
      const { aim } = globalThis;
      if (!aim || !(target instanceof Element)) return;
      aim.isHit = aim.element.contains(target) || target.closest('label')?.contains(aim.element) === true;
    },
    { capture: true, once: true },
  );
}

/** Whether the touch has reached its element. */
export const hasHit = (): boolean => globalThis.aim?.isHit ?? true;

/** The text that a person can read, in the topmost dialog where one is open. */
export function readPage(): string {
  const dialogs = [...document.querySelectorAll('dialog')].filter((dialog) => dialog.matches(':modal'));
  const text = (dialogs.at(-1) ?? document.body).innerText;
  return text.replace(/\s+/g, ' ').trim();
}

/** The name of the field that has the focus. */
export function focusedField(): { readonly tag: string; readonly value: string } {
  const { activeElement: element } = document;
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  return { tag: element?.tagName ?? '', value: isField ? element.value : '' };
}
