// Runs in the browser: shows asyncapi.json. Every text goes through `textContent`.

const answer = await fetch('asyncapi.json');
const document_ = await answer.json();
const { info, channels, operations, components } = document_;
const { sync } = channels;

const main = document.getElementById('channel');
main.replaceChildren(
  element('h1', info.title),
  ...info.description.split('\n\n').map((text) => prose(text)),
  element('h2', 'Conversation'),
  table(
    ['Operation', 'Sent by', 'Frames', 'Answers', 'Meaning'],
    Object.entries(operations).map(([name, { action, messages, reply, summary }]) => [
      code(name),
      action === 'receive' ? 'phone' : 'server',
      names(messages),
      names(reply?.messages ?? []),
      summary,
    ]),
  ),
  element('h2', 'Frames from the phone'),
  ...framesOf('phone'),
  element('h2', 'Frames from the server'),
  ...framesOf('server'),
  element('h2', 'Limits'),
  table(
    ['Limit', 'Default', 'In welcome', 'Meaning'],
    sync['x-limits'].map(({ name, value, inWelcome, description }) => [
      code(name),
      String(value),
      inWelcome ? 'yes' : '',
      prose(description),
    ]),
  ),
  element('h2', 'Close codes'),
  table(
    ['Code', 'Name', 'Meaning'],
    sync['x-close-codes'].map(({ code: number, name, description }) => [
      String(number),
      code(name),
      prose(description),
    ]),
  ),
);
// A link to a frame opens it.
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.open = true;
  target?.scrollIntoView();
};
addEventListener('hashchange', open);
open();

function framesOf(side) {
  return Object.entries(components.messages)
    .filter(([id]) => id.startsWith(`${side}.`))
    .map(([id, message]) => frame(id, message));
}

function frame(id, { name, summary, description, payload, examples }) {
  const details = element('details');
  details.id = id;
  const head = element('summary');
  head.append(code(name), ` ${summary}`);
  const required = new Set(payload.required);
  details.append(
    head,
    ...(description ? [prose(description)] : []),
    table(
      ['Member', 'Type', 'Required', 'Meaning'],
      Object.entries(payload.properties).map(([member, schema]) => [
        code(member),
        typeOf(schema),
        required.has(member) ? 'yes' : '',
        prose(schema.description),
      ]),
    ),
    ...examples.map((example) => block(example.payload)),
    folded('JSON Schema', payload),
  );
  return details;
}

function typeOf({ type, const: fixed, enum: values, anyOf }) {
  if (fixed !== undefined) return JSON.stringify(fixed);
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  return type ?? 'any';
}

/** Text with `code` and **words**. */
function prose(text) {
  const paragraph = element('p');
  for (const part of (text ?? '').split(/(`[^`]+`|\*\*[^*]+\*\*)/)) {
    if (part.startsWith('`')) paragraph.append(code(part.slice(1, -1)));
    else if (part.startsWith('**')) paragraph.append(element('strong', part.slice(2, -2)));
    else paragraph.append(part);
  }
  return paragraph;
}

function names(references) {
  const cell = element('span');
  for (const { $ref } of references) {
    const id = $ref.split('/').at(-1);
    const link = element('a');
    link.href = `#${id}`;
    link.append(code(id.split('.')[1]));
    cell.append(link, ' ');
  }
  return cell;
}

function table(heads, rows) {
  const scroll = element('div');
  scroll.className = 'table';
  scroll.tabIndex = 0;
  const grid = element('table');
  grid.append(row('th', heads), ...rows.map((cells) => row('td', cells)));
  scroll.append(grid);
  return scroll;
}

function row(kind, cells) {
  const line = element('tr');
  line.append(
    ...cells.map((content) => {
      const cell = element(kind);
      cell.append(content);
      return cell;
    }),
  );
  return line;
}

function folded(title, content) {
  const details = element('details');
  details.append(element('summary', title), block(content));
  return details;
}

function block(content) {
  const pre = element('pre', JSON.stringify(content, null, 2));
  pre.tabIndex = 0;
  return pre;
}

function code(text) {
  return element('code', text);
}

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
}
