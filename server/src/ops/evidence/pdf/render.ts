import { clockOf } from '../../../mail/local-clock.ts';
import type { CountedLine, ExceptionEntry } from '../../../mail/summary.ts';
import type { FieldChange } from '../custody.ts';
import { jsonEnd, jsonStop, members, type Withheld } from '../../../../verify/src/format.ts';
import { unwitnessedText, type EvidenceFact, type EvidenceFile, type StopEvidence } from '../evidence.ts';
import { Paper } from './paper.ts';
import { SignedSoFar } from './signature.ts';

/** The subject of the document. */
export interface Cover {
  /** One line. */
  readonly title: string;
  /** The beginning of `pack.json`, which the document carries as a file; undefined for a document that goes out alone. */
  readonly jsonHead?: string | undefined;
  /** The newest signed checkpoint of the log, for a document that goes out alone. */
  readonly checkpoint?: string | undefined;
  /** An outside witness has signed the checkpoints of the pack, or the one of a document that goes out alone. */
  readonly isWitnessed: boolean;
  /** Week, route, stop, customer and status of each stop. */
  readonly contents: readonly (readonly string[])[];
  readonly without: readonly Withheld[];
  /** The receipt of the latest fact, ISO 8601. */
  readonly at: string;
  /** The time of its signature, ISO 8601; undefined for a document without one. */
  readonly sealedAt?: string | undefined;
}

export interface Sources {
  readonly stops: AsyncIterable<StopEvidence>;
  /** The bytes of a file; undefined where the document does not show them. */
  readonly picture: (file: EvidenceFile) => Promise<Uint8Array | undefined>;
  /** Signs the digest (SHA-256) of a document with `sealedAt`. */
  readonly sign?: (digest: Uint8Array) => Promise<Uint8Array>;
}

/** Renders the evidence of stops, page by page. The text of `pack.json` and one picture are in memory. */
export async function* renderEvidence(cover: Cover, sources: Sources): AsyncGenerator<Uint8Array> {
  const paper = new Paper({ title: cover.title, subject: 'Evidence of a delivery', at: new Date(cover.at) });
  const { sealedAt } = cover;
  const { sign } = sources;
  if (sealedAt === undefined || !sign) {
    yield* renderPages(paper, cover, sources);
    paper.end();
    yield* ready(paper);
    return;
  }
  const before = new SignedSoFar();
  for await (const bytes of renderPages(paper, cover, sources)) {
    before.add(bytes);
    yield bytes;
  }
  const signature = paper.endUnsigned(new Date(sealedAt));
  for (const bytes of ready(paper)) {
    before.add(bytes);
    yield bytes;
  }
  signature.end();
  yield await before.finish(paper.take() ?? Buffer.alloc(0), sign);
}

async function* renderPages(paper: Paper, cover: Cover, { stops, picture }: Sources): AsyncGenerator<Uint8Array> {
  if (cover.contents.length > 1) renderContents(paper, cover);
  const { jsonHead } = cover;
  const json = [jsonHead];
  for await (const stop of stops) {
    if (jsonHead !== undefined) json.push(jsonStop(stop, json.length - 1));
    paper.newPage();
    renderState(paper, cover, stop);
    renderCustody(paper, stop);
    yield* ready(paper);
    yield* renderFiles(paper, cover, stop, picture);
    renderLimits(paper, cover, stop);
    yield* ready(paper);
  }
  // Last: a reader finds it at the end of the document.
  if (jsonHead !== undefined) paper.attach(members.json, Buffer.from([...json, jsonEnd].join('')));
}

function* ready(paper: Paper): Generator<Uint8Array> {
  const bytes = paper.take();
  if (bytes) yield bytes;
}

function renderContents(paper: Paper, { title, contents }: Cover): void {
  paper.newPage();
  paper.paragraph(title, { size: 17, bold: true });
  paper.paragraph(`${contents.length} stops, in this order.`);
  paper.table(
    [
      { head: 'Week', share: 0.13 },
      { head: 'Route', share: 0.15 },
      { head: 'Stop', share: 0.09 },
      { head: 'Customer', share: 0.43 },
      { head: 'Status', share: 0.2 },
    ],
    contents,
  );
}

function renderState(paper: Paper, cover: Cover, stop: StopEvidence): void {
  const { summary, place, nothing_delivered, missing, position } = stop;
  paper.paragraph(`${summary.statusWords}: ${summary.customer}`, { size: 17, bold: true });
  paper.paragraph(summary.lead, { size: 10.5 });
  if (nothing_delivered) paper.paragraph(nothing_delivered, { size: 10.5, bold: true });
  if (cover.without.length > 0)
    paper.paragraph(`This document leaves out on request: ${cover.without.join(', ')}. Their hashes stay.`, {
      grey: true,
    });

  paper.heading('Who, where, when');
  paper.facts([
    ['Facility', place.facility_name ? `${place.facility_name} (${place.facility})` : place.facility],
    ['Week', place.week_end],
    ...summary.facts.map(({ label, value }) => [label, value] as const),
    ...summary.totals.map(({ label, value }) => [label, value] as const),
    ['Position', positionWords(position)],
    ['Times', `${summary.zone}, unless marked UTC`],
  ]);
  if (summary.comment) {
    paper.heading('The driver’s comment');
    paper.paragraph(summary.comment);
  }
  renderMissing(paper, missing);
  renderLines(paper, stop);
}

function positionWords(position: StopEvidence['position']): string {
  if (!position) return 'not recorded';
  const { latitude, longitude, meters_to_customer: meters } = position;
  const distance = meters === null ? 'the customer’s coordinates are unknown' : `${meters} m from the customer`;
  return `${latitude}, ${longitude}: ${distance}`;
}

function renderMissing(paper: Paper, missing: StopEvidence['missing']): void {
  paper.heading('What is missing');
  if (missing.length === 0) paper.paragraph('Nothing that such a stop usually has.');
  for (const { what } of missing) paper.paragraph(`– ${what}`);
}

const lineColumns = [
  { head: 'Item', share: 0.52 },
  { head: 'Ordered', share: 0.11, align: 'right' },
  { head: 'Delivered', share: 0.12, align: 'right' },
  { head: 'Returned', share: 0.12, align: 'right' },
  { head: 'Difference', share: 0.13, align: 'right' },
] as const;

const countOf = (count: number | undefined): string => (count === undefined ? '–' : String(count));

const lineRow = ({ name, notes, ordered, delivered, returned }: CountedLine): string[] => {
  const isDifference = (note: string): boolean => /^\d+ (short|over)$/.test(note);
  const item = [name, ...notes.filter((note) => !isDifference(note))].join(', ');
  return [item, countOf(ordered), countOf(delivered), countOf(returned), notes.find(isDifference) ?? ''];
};

function renderLines(paper: Paper, { summary }: StopEvidence): void {
  const { products, collections, exceptions, overage } = summary;
  for (const { invoice, lines } of products) {
    paper.heading(invoice === '' ? 'Items' : `Items of invoice ${invoice}`);
    paper.table(lineColumns, lines.map(lineRow));
  }
  if (collections.length > 0) {
    paper.heading('Collected');
    paper.table(
      [
        { head: 'Item', share: 0.7 },
        { head: 'Expected', share: 0.15, align: 'right' },
        { head: 'Collected', share: 0.15, align: 'right' },
      ],
      collections.map(({ name, ordered, returned }) => [name, countOf(ordered), countOf(returned)]),
    );
  }
  const columns = [
    { head: 'Item', share: 0.3 },
    { head: 'Quantity', share: 0.12 },
    { head: 'Reason', share: 0.25 },
    { head: 'Comment', share: 0.33 },
  ];
  const row = (name: string, { quantity, reason, comment, barcode }: ExceptionEntry): string[] => [
    [name, barcode && `barcode ${barcode}`].filter(Boolean).join(', '),
    quantity,
    reason,
    comment,
  ];
  if (exceptions.length > 0) {
    paper.heading('Short, over, damaged');
    paper.table(
      columns,
      exceptions.flatMap(({ name, invoice, entries }) =>
        entries.map((entry) => row(invoice ? `${name}, invoice ${invoice}` : name, entry)),
      ),
    );
  }
  if (overage.length > 0) {
    paper.heading('Not on the order');
    paper.table(
      columns,
      overage.map((entry) => row('', entry)),
    );
  }
}

/** `2026-11-20 16:05:00.000 UTC`. */
const utc = (instant: string | null): string =>
  instant === null ? 'not known' : `${instant.slice(0, -1).replace('T', ' ')} UTC`;

const sources = { sync: 'phone', rest: 'phone (REST)', office: 'office', timer: 'timer' } as const;

function renderCustody(
  paper: Paper,
  { facts, kept, acts, mails, proofs, reports, holds, host, missing }: StopEvidence,
): void {
  paper.heading('Chain of custody');
  const gone = missing.filter(({ part }) => part === 'record');
  for (const { what } of gone) paper.paragraph(what);
  if (facts.length + gone.length === 0) paper.paragraph('No change was recorded.');
  for (const [i, fact] of facts.entries()) renderFact(paper, i + 1, fact);
  if (kept.length > 0) {
    paper.heading('Changes that were not applied');
    for (const { id, employee, code, reason, received_at, state } of kept)
      paper.paragraph(`– ${utc(received_at)}: change ${id} of ${employee}, ${state}: ${code}, ${reason}`);
  }
  if (acts.length > 0) {
    paper.heading('Acts of the office');
    paper.table(
      [
        { head: 'When', share: 0.25 },
        { head: 'Who', share: 0.17 },
        { head: 'Act', share: 0.26 },
        { head: 'Why', share: 0.32 },
      ],
      acts.map(({ at, by, act, subject_kind, stop_id, reason }) => [
        utc(at),
        by,
        `${act} (${subject_kind}${stop_id === null ? ', whole route' : ''})`,
        reason,
      ]),
    );
  }
  paper.heading('Sent and written');
  paper.facts([
    ['Legacy host', hostWords(host)],
    ...mails.map(
      ({ sent_at, mutation_id }) => ['Delivery mail', `${utc(sent_at)}, for change ${mutation_id}`] as const,
    ),
    ...proofs.map(
      ({ asked_at, to, by, state }) => ['Proof by mail', `${utc(asked_at)}, to ${to}, by ${by}: ${state}`] as const,
    ),
    ...reports.map(
      ({ report_id, revision, driver_id, captured_at }) =>
        ['Load report', `${report_id}, revision ${revision}, by ${driver_id}, captured ${utc(captured_at)}`] as const,
    ),
    ...holds.map((hold) => ['Legal hold', holdWords(hold)] as const),
  ]);
}

function holdWords({
  placed_at,
  placed_by,
  reason,
  until,
  released_at,
  released_by,
}: StopEvidence['holds'][number]): string {
  const end =
    released_at === null ? until && `, until ${utc(until)}` : `, released ${utc(released_at)} by ${released_by}`;
  return `placed ${utc(placed_at)} by ${placed_by}: ${reason}${end ?? ''}`;
}

function hostWords({ on_host, trace, confirmed_at, parked_reason }: StopEvidence['host']): string {
  if (parked_reason) return `not written: ${parked_reason}`;
  if (!on_host) return 'this state is not confirmed there';
  return `confirmed ${utc(confirmed_at)}${trace && `, trace ${trace}`}`;
}

function renderFact(paper: Paper, number: number, fact: EvidenceFact): void {
  const { employee, employee_name, source, result, device, app, client_id, seq, changes, warnings } = fact;
  const author = employee_name ? `${employee_name} (${employee})` : employee || 'an unknown author';
  const queue = client_id === null ? '' : `, item ${seq ?? '–'} of queue ${client_id}`;
  const no = result === 'duplicate' ? ', a duplicate without effect' : '';
  paper.paragraph(`${number}. ${author}, by ${sources[source]}${no}`, { bold: true, leads: true });
  paper.facts([
    ['Phone’s clock', utc(fact.captured_at)],
    ['Corrected', utc(fact.edit_time)],
    ['Received', utc(fact.received_at)],
    ...(device || app ? [['Device', [device, app].filter(Boolean).join(', ')] as const] : []),
    ['Change', `${fact.id}${queue}`],
    ['SHA-256', fact.hash],
    ...warnings.map(({ code, message }) => ['Warning', `${code}: ${message}`] as const),
  ]);
  if (changes === null) paper.paragraph('The values are withheld; the hash above covers them.', { grey: true });
  else if (changes.length > 0) paper.table(changeColumns, changes.map(changeRow));
}

const changeColumns = [
  { head: 'Field', share: 0.32 },
  { head: 'Before', share: 0.34 },
  { head: 'Set to', share: 0.34 },
];

/** A blank value clears the field. Without an earlier change the value before is the plan's, or none. */
const changeRow = ({ field, before, after }: FieldChange): string[] => [
  field.replaceAll('_', ' '),
  before === null ? '–' : before || '(blank)',
  after || '(blank)',
];

const pictureHeight = 250;
const signatureHeight = 110;

async function* renderFiles(
  paper: Paper,
  { jsonHead }: Cover,
  { files, place }: StopEvidence,
  picture: Sources['picture'],
): AsyncGenerator<Uint8Array> {
  paper.heading('Signature and photos');
  if (files.length === 0) paper.paragraph('The stop names no file.');
  for (const file of files) {
    const bytes = file.member === null ? undefined : await picture(file);
    const caption = captionOf(file, place.zone, jsonHead !== undefined);
    const height = file.label === 'Signature' ? signatureHeight : pictureHeight;
    const reason = bytes && paper.picture(bytes, caption, height);
    const notShown = bytes === undefined ? file.member !== null && 'it is no JPEG or PNG of at most 10 MiB' : reason;
    if (bytes === undefined || reason !== undefined)
      paper.paragraph(notShown ? `${caption}\nNot shown: ${notShown}.` : caption, { size: 8.5 });
    yield* ready(paper);
  }
}

function captionOf(
  { label, caption, asset_id, member, why, mime, size, sha256, received_at }: EvidenceFile,
  zone: string,
  hasMembers: boolean,
): string {
  const arrived = received_at === null ? '' : `, received ${clockOf(received_at, zone)}`;
  const digest = sha256 === null ? '' : `\nSHA-256 ${sha256}`;
  return `${label}: ${caption}\n${asset_id}${mime && `, ${mime}, ${size} bytes`}${arrived}${digest}\n${hasMembers ? (member ?? why) : why}`.trimEnd();
}

function renderLimits(paper: Paper, cover: Cover, { files }: StopEvidence): void {
  const { jsonHead, checkpoint, sealedAt, isWitnessed } = cover;
  paper.heading('What this does not prove');
  for (const limit of limits) paper.paragraph(`– ${limit}`);
  if (!isWitnessed) paper.paragraph(unwitnessedText, { bold: true });
  paper.heading('How to check');
  if (jsonHead === undefined) return renderAlone(paper, { checkpoint, sealedAt });
  paper.paragraph(
    `VERIFY.txt in this pack lists the commands. SHA256SUMS has the digest of every member. pack.json, which this document carries as an attachment, has each change as the phone sealed it; its SHA-256 is in the chain of custody above.${files.some(({ member }) => member !== null) ? ' The folder files has each file byte for byte as received.' : ''}`,
  );
}

/** The check of a document without its pack. */
function renderAlone(paper: Paper, { checkpoint, sealedAt }: Pick<Cover, 'checkpoint' | 'sealedAt'>): void {
  if (sealedAt !== undefined)
    paper.paragraph('The certificate of the carrier signs this document: a reader of PDF, or pdfsig, shows a change.');
  paper.paragraph(
    'The office of the carrier makes the whole evidence pack of this stop. It has each change and each file byte for byte, with the same SHA-256 as above.',
  );
  if (checkpoint === undefined) return;
  paper.paragraph(
    'The newest signed checkpoint of the log of the depot. Keep it: tailgate-verify compares a later pack with it.',
  );
  paper.paragraph(checkpoint.trimEnd(), { size: 8 });
}

const limits = [
  'That the goods were whole inside their packages.',
  'That the written name is the name of the person who signed.',
  'That the phone’s clock was right before the upload. The times of receipt are those of the server.',
  'What the owner of the database changed before a fact was in the log, or before this document was made. An evidence pack with the folder log has the proofs of the log; an outside witness or a checkpoint of another party confirms it.',
];
