import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import * as z from 'zod/mini';

/** CSS px of any target, and of a main one. */
const min = { target: 48, main: 56 };

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules of axe whose findings depend on colours. */
const rulesOfColours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * What is wrong with the screen as it is now; empty where nothing is.
 * @param rules `colours`: this theme changes nothing but the colours of a screen that has passed all rules
 */
export async function faultsOf(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  const measured = await page.evaluate(measure, min);
  return [...measured, ...(await violationsOf(page, rules === 'all' ? allRules : rulesOfColours))];
}

/** Shows a theme as the display sheet does. */
export const showTheme = (theme: string): void => void (document.documentElement.dataset['theme'] = theme);

/** Waits until the page has a screen, and draws the same in two frames. */
export async function settle(page: Page): Promise<void> {
  let before = '';
  const isAtRest = async (): Promise<boolean> => {
    const last = before;
    before = await page.evaluate(drawn);
    return before !== '' && before === last;
  };
  await expect.poll(isAtRest, { interval: 20 }).toBe(true);
}

/** Runs in the page: the size of the topmost screen after two frames, and its text; empty without a screen. */
const drawn = (): Promise<string> =>
  new Promise((done) =>
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const shown = document.querySelector('dialog:modal') ?? document.querySelector('main');
        if (!shown) return done('');
        const { x, y, width, height } = shown.getBoundingClientRect();
        done(JSON.stringify([location.hash, x, y, width, height, shown.textContent]));
      }),
    ),
  );

/** Findings of axe, each with its element. */
async function violationsOf(page: Page, runOnly: typeof allRules | typeof rulesOfColours): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const found = findings.parse(await page.evaluate(`axe.run(document, ${options})`));
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}
const findings = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** Runs in the page: targets that are too small or look open while they are shut, content that leaves its button, and sideways scroll. */
function measure({ target, main }: typeof min): string[] {
  const dialogs = [...document.querySelectorAll('dialog')].filter((dialog) => dialog.matches(':modal'));
  const scope: ParentNode = dialogs.at(-1) ?? document;
  const nameOf = (element: Element): string =>
    `<${element.tagName.toLowerCase()}> ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)}`;
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
  const touched = [...scope.querySelectorAll('a[href], button, summary, select, textarea, input')]
    .filter(isShown)
    // The label is the target of a box within it.
    .map(
      (element) =>
        (element.matches('[type=radio], [type=checkbox], [type=file]') && element.closest('label')) || element,
    );
  const faults: string[] = [];
  for (const element of new Set(touched)) {
    const { width, height, left, right } = element.getBoundingClientRect();
    const wanted = element.matches('.btn-main, .gate-btn') ? main : target;
    const size = Math.min(width, height);
    if (size < wanted - 0.5) faults.push(`${Math.round(size)} px of ${wanted}: ${nameOf(element)}`);
    if (element.matches('[aria-disabled=true]') && getComputedStyle(element).cursor !== 'not-allowed')
      faults.push(`shut, and looks open: ${nameOf(element)}`);
    for (const child of element.children) {
      if (!isShown(child) || child.matches('.sr')) continue;
      const inner = child.getBoundingClientRect();
      if (inner.left < left - 1 || inner.right > right + 1) faults.push(`leaves its target: ${nameOf(element)}`);
    }
    if (element.scrollWidth > element.clientWidth + 1 && !element.matches('input, textarea'))
      faults.push(`wider than its target: ${nameOf(element)}`);
  }
  const panes = [document.documentElement, ...document.querySelectorAll('main, .sheet-body, .sheet')];
  for (const pane of panes)
    if (pane.scrollWidth > pane.clientWidth + 1) faults.push(`scrolls sideways: <${pane.tagName} ${pane.className}>`);
  return faults;
}
