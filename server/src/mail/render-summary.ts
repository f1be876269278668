import { deliverySummary, statusWords } from './delivery-summary.ts';
import type { DeliverySummary, SummarizedStop, SummaryTable } from './delivery-summary.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

export interface RenderedSummary {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** The delivery summary of a stop as it is now, as a mail. */
export function renderSummary(stop: SummarizedStop): RenderedSummary {
  const summary = deliverySummary(stop);
  const { plan, route, result } = stop;
  const subject = `Stop ${statusWords[result.status]}: ${plan.customer.name || plan.id}, route ${route.id}`;
  // A line break in a name is no line break in a header.
  return { subject: subject.replaceAll(/[\p{Cc}\s]+/gu, ' '), html: asHtml(summary), text: asText(summary) };
}

function asHtml({ title, facts, tables }: DeliverySummary): string {
  const rows = facts.map(
    ({ label, value }) =>
      html`<tr>
        <th align="left" valign="top">${label}</th>
        <td style="white-space: pre-line">${value}</td>
      </tr> `,
  );
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
      </head>
      <body style="font-family: sans-serif">
        <h1>${title}</h1>
        <table cellpadding="4">
          ${rows}
        </table>
        ${tables.map(tableAsHtml)}
      </body>
    </html> `;
  return page.html;
}

function tableAsHtml({ heading, columns, rows }: SummaryTable): Markup {
  const heads = columns.map((column) => html`<th align="left" scope="col">${column}</th>`);
  const lines = rows.map(
    (cells) =>
      html`<tr>
        ${cells.map((cell) => html`<td valign="top" style="white-space: pre-line">${cell}</td>`)}
      </tr> `,
  );
  return html`<h2>${heading}</h2>
    <table cellpadding="4">
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table> `;
}

function asText({ title, facts, tables }: DeliverySummary): string {
  const width = Math.max(...facts.map(({ label }) => label.length));
  const indent = `\n${' '.repeat(width + 2)}`;
  const lines = facts.map(({ label, value }) => `${label.padEnd(width)}  ${value.replaceAll(/\r?\n/g, indent)}`);
  return `${[title, lines.join('\n'), ...tables.map(tableAsText)].join('\n\n')}\n`;
}

/** A line of words a row: columns that are aligned by blanks fall apart in every proportional font. */
function tableAsText({ heading, columns, rows }: SummaryTable): string {
  const [, ...named] = columns;
  const lines = rows.map(([first, ...cells]) => {
    const told = named.flatMap((column, i) => (cells[i] ? [`${column.toLowerCase()} ${cells[i]}`] : []));
    return `- ${[first, ...told].join(', ').replaceAll(/\s*\n\s*/g, ' ')}`;
  });
  return `${heading}\n${lines.join('\n')}`;
}
