import {
  clientFrame,
  closeCodes,
  currentProtocol,
  feedDocuments,
  mutation,
  mutationArgs,
  oldestProtocol,
  protocolHistory,
  serverFrame,
} from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { clientLimits, features, syncLimits } from '../limits.ts';
import { examples } from './examples.ts';
import { about, closeWords, fieldWords, frameWords, limitWords, operationWords, otherCloseCodes } from './words.ts';

// The sync channel as an AsyncAPI 3 document, from the schemas that read each frame.

interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Who sends a frame. */
type Side = 'phone' | 'server';

interface Frame {
  readonly side: Side;
  readonly type: string;
  readonly schema: z.core.$ZodType;
}

const framesOf = (side: Side, options: readonly FrameSchema[]): Frame[] =>
  options.map((schema) => ({ side, type: [...schema.shape.type.def.values].join(), schema }));
type FrameSchema = z.ZodMiniObject<{ type: z.ZodMiniLiteral<string> }>;

const frames: readonly Frame[] = [
  ...framesOf('phone', clientFrame.def.options),
  ...framesOf('server', serverFrame.def.options),
];

const idOf = ({ side, type }: Pick<Frame, 'side' | 'type'>): string => `${side}.${type}`;

/** @param version of the server */
export function channelDocument(version: string): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tailgate sync channel',
      version,
      description: about,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      'x-protocol': { current: currentProtocol, oldest: oldestProtocol, history: protocolHistory, features },
    },
    defaultContentType: 'application/json',
    servers: {
      https: serverOf('wss', 'Behind a proxy with TLS.', 'pod.example.com'),
      http: serverOf('ws', 'A server of its own, such as `npm start`.', 'localhost:3000'),
    },
    channels: { sync: channel() },
    operations: operations(),
    components: {
      messages: Object.fromEntries(frames.map((frame) => [idOf(frame), messageOf(frame)])),
      schemas: schemas(),
    },
  };
}

const serverOf = (protocol: string, description: string, standard: string): object => ({
  host: '{host}',
  protocol,
  description,
  variables: {
    host: { default: standard, description: 'Name and port of the server; a prefix of a proxy precedes the path.' },
  },
});

function channel(): object {
  return {
    address: '/api/sync',
    title: 'Sync',
    description: 'One connection of one queue: an employee on an installation of the app.',
    messages: Object.fromEntries(
      frames.map((frame) => [idOf(frame), { $ref: `#/components/messages/${idOf(frame)}` }]),
    ),
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
    'x-subprotocol': null,
    'x-compression': false,
    'x-limits': limits(),
    'x-close-codes': [
      ...Object.entries(closeCodes).map(([name, code]) => ({ code, name, description: closeWords[code] })),
      ...otherCloseCodes,
    ].sort((a, b) => a.code - b.code),
  };
}

/** The limits that `welcome` announces, then those that a client cannot read there. */
function limits(): object[] {
  const announced = Object.keys(clientLimits(syncLimits));
  return limitWords.map(([name, description]) => ({
    name,
    value: syncLimits[name],
    inWelcome: announced.includes(name),
    description,
  }));
}

function operations(): object {
  return Object.fromEntries(
    Object.entries(operationWords).map(([name, { sends, types, answers, summary }]) => [
      name,
      {
        // The document describes the server: it receives what a phone sends.
        action: sends === 'phone' ? 'receive' : 'send',
        channel: { $ref: '#/channels/sync' },
        summary,
        messages: types.map((type) => inChannel({ side: sends, type })),
        ...(answers && {
          reply: {
            channel: { $ref: '#/channels/sync' },
            messages: answers.map((type) => inChannel({ side: sends === 'phone' ? 'server' : 'phone', type })),
          },
        }),
      },
    ]),
  );
}

const inChannel = (frame: Pick<Frame, 'side' | 'type'>): object => ({
  $ref: `#/channels/sync/messages/${idOf(frame)}`,
});

function messageOf(frame: Frame): object {
  const id = idOf(frame);
  const words = frameWords[id];
  return {
    name: frame.type,
    title: `${frame.type}, from the ${frame.side}`,
    summary: words?.summary,
    ...(words?.more && { description: words.more }),
    contentType: 'application/json',
    payload: explained(frame, jsonSchema(frame.schema)),
    examples: (examples[id] ?? []).map(({ name, payload }) => ({ name, payload })),
  };
}

/** Adds the words of each member, and the schemas of what a frame carries. */
function explained(frame: Frame, schema: JsonSchema): JsonSchema {
  const members = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const properties = members.map(([name, member]) => [
    name,
    {
      ...(isObject(member) && member),
      description: fieldWords[`${idOf(frame)}.${name}`] ?? fieldWords[name],
      ...contentOf(frame, name),
    },
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function contentOf({ side, type }: Frame, member: string): JsonSchema {
  if (side === 'phone' && type === 'push' && member === 'mutations')
    return { items: { $ref: '#/components/schemas/mutation' } };
  if (type === 'patch' && member === 'docs')
    return {
      'x-values': Object.keys(feedDocuments).map((name) => ({
        key: name,
        $ref: `#/components/schemas/document.${name}`,
      })),
    };
  return {};
}

function schemas(): object {
  const versions = Object.entries<Record<string, z.core.$ZodType>>(mutationArgs).flatMap(([name, all]) =>
    Object.entries(all).map(([version, schema]) => ({ name, version: Number(version), schema })),
  );
  const nameOf = ({ name, version }: { name: string; version: number }): string => `args.${name}.${version}`;
  return {
    mutation: {
      ...jsonSchema(mutation),
      description: 'A sealed mutation. An item with a readable `id` and `seq` never blocks the next one.',
      'x-args': versions.map(({ name, version }) => ({
        name,
        version,
        $ref: `#/components/schemas/${nameOf({ name, version })}`,
      })),
    },
    ...Object.fromEntries(versions.map((each) => [nameOf(each), jsonSchema(each.schema)])),
    ...Object.fromEntries(
      Object.entries<z.core.$ZodType>(feedDocuments).map(([name, schema]) => [`document.${name}`, jsonSchema(schema)]),
    ),
  };
}

/** In the dialect of AsyncAPI: JSON Schema draft 7, of the text on the wire. */
function jsonSchema(schema: z.core.$ZodType): JsonSchema {
  const written = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  const tidied = tidy(written);
  if (!isObject(tidied)) throw new Error('a schema is an object');
  const { $schema: _dialect, definitions: _anyJson, ...rest } = tidied;
  return rest;
}

/**
 * A shorter, open schema. A newer side sends more members, so nothing excludes them. The only schema that refers to
 * itself is any JSON. The bounds of a safe integer carry no information.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isObject(value)) return value;
  if (typeof value['$ref'] === 'string') return {};
  const kept = Object.entries(value).filter(
    ([keyword, each]) =>
      !(keyword === 'additionalProperties' && each === false) &&
      !(typeof each === 'number' && Math.abs(each) === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(kept.map(([keyword, each]) => [keyword, tidy(each)]));
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
