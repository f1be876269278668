import type { CountedLine, ExceptionEntry, ListedPictures, Picture, SummaryView } from './summary.ts';

/**
 * The summary as plain text. One line for each thing, in words: columns aligned by blanks fall apart in every
 * proportional font.
 */
export function plainSummary(summary: SummaryView): string {
  const { customer, lead, totals, comment, facts, exceptions, overage, products, collections } = summary;
  const width = Math.max(0, ...facts.map(({ label }) => label.length));
  const entry = (each: ExceptionEntry): string => exceptionWords(each, summary.photoNumber(each.asset));
  const sections: [heading: string, lines: string[]][] = [
    ['', [customer, lead]],
    ['', totals.map(({ label, value }) => `${label}: ${value}`)],
    ['Driver’s comment', comment === '' ? [] : [comment]],
    [
      'Exceptions',
      exceptions.flatMap(({ name, invoice, entries }) =>
        entries.map((each) => `- ${[name, invoice && `invoice ${invoice}`, entry(each)].filter(Boolean).join(', ')}`),
      ),
    ],
    ['Not on the order', overage.map((each) => `- ${entry(each)}`)],
    ['Delivery', facts.map(({ label, value }) => `${label.padEnd(width)}  ${indented(value, width + 2)}`)],
    ...products.map(({ invoice, lines }): [string, string[]] => [
      invoice === '' ? 'Items' : `Items of invoice ${invoice}`,
      lines.map((line) => countedWords(line, ['ordered', 'delivered', 'returned'])),
    ]),
    ['Collected', collections.map((line) => countedWords(line, ['expected', '', 'collected']))],
    ['Signature', summary.signature ? [pictureWords(summary.signature)] : []],
    ['Photos', summary.photos.map((photo) => `- ${photo.label}: ${pictureWords(photo)}`)],
    ['', summary.morePhotos > 0 ? [`and ${summary.morePhotos} more`] : []],
    [
      '',
      [`Times: ${summary.zone}.`, ...(summary.contact ? [`Questions about this delivery: ${summary.contact}.`] : [])],
    ],
    [
      'The log of deliveries when this was sent, signed. Your copy contradicts a history that is changed later.',
      summary.checkpoint === '' ? [] : [summary.checkpoint.trimEnd()],
    ],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return `${shown.map(([heading, lines]) => [heading, ...lines].filter(Boolean).join('\n')).join('\n\n')}\n`;
}

const indented = (text: string, by: number): string => text.replaceAll(/\r?\n/g, `\n${' '.repeat(by)}`);

/**
 * An entry of a list stays on one line. The loop visits each run of blanks once: an expression that begins with `\s*`
 * visits it from each of its blanks, and five thousand comments of blanks blocked a server for seven seconds.
 */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, (run) => (/[\r\n]/.test(run) ? ' ' : run));

function countedWords({ name, notes, ordered, delivered, returned }: CountedLine, labels: readonly string[]): string {
  const counts = [ordered, delivered, returned].flatMap((count, i) =>
    count === undefined || !labels[i] ? [] : [`${labels[i]} ${count}`],
  );
  return `- ${oneLine([name, ...notes, ...counts].join(', '))}`;
}

function exceptionWords({ quantity, reason, comment, barcode }: ExceptionEntry, photo: number | undefined): string {
  const parts = [quantity, reason, comment, barcode && `barcode ${barcode}`, photo && `photo ${photo}`];
  return oneLine(parts.filter(Boolean).join(', '));
}

function pictureWords({ caption, pictures }: ListedPictures): string {
  return `${caption} (${pictures.map(stateOf).join('; ')})`;
}

function stateOf(picture: Picture): string {
  if (picture.kind === 'shown') return 'attached';
  const words = picture.kind === 'pending' ? 'not uploaded yet' : 'kept, not attached';
  return [words, picture.href].filter(Boolean).join(': ');
}
