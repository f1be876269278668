import multipart from '@fastify/multipart';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../wire/errors.ts';
import { invalidInput } from './validation.ts';

/** Of a form's fields that are no files. */
export const longestField = 64 * 1024;
const mostParts = 200;

/** Reads multipart/form-data where an operation takes a form; files are streams that the handler reads. */
export async function readForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    // Names are ours to take apart, folders too. What a file may weigh the slice knows.
    preservePath: true,
    throwFileSizeLimit: false,
    limits: {
      fileSize: Number.POSITIVE_INFINITY,
      fieldSize: longestField,
      fields: 20,
      fieldNameSize: 100,
      parts: mostParts,
      headerPairs: 50,
    },
  });
}

export interface FormFile {
  readonly kind: 'file';
  readonly field: string;
  /** As the sender wrote it. */
  readonly name: string;
  /** To be read before the next part is asked for. */
  readonly bytes: AsyncIterable<Buffer>;
}
export interface FormField {
  readonly kind: 'field';
  readonly field: string;
  /** Text; parsed already where the sender declared it as JSON. */
  readonly value: unknown;
}

/**
 * The parts of a form in the order in which they come. What its sender did wrong (no boundary, a form or connection that
 * breaks off) is a 400, whatever the parser calls it. However it ends, the rest of the request is read and dropped: a
 * sender who is still sending would not hear our answer.
 */
export async function* formParts(request: FastifyRequest): AsyncGenerator<FormFile | FormField, void, undefined> {
  try {
    for await (const part of blaming(request.parts())) {
      if (part.type === 'field') yield readField(part);
      else yield { kind: 'file', field: part.fieldname, name: part.filename ?? '', bytes: blaming<Buffer>(part.file) };
    }
  } finally {
    request.raw.unpipe();
    request.raw.resume();
  }
}

type Part = MultipartFile | MultipartValue;

function readField({ fieldname, value, valueTruncated }: Extract<Part, { type: 'field' }>): FormField {
  if (valueTruncated) {
    throw invalidInput([{ path: fieldname, message: `must not be longer than ${longestField} bytes` }]);
  }
  return { kind: 'field', field: fieldname, value };
}

/** Passes on what a source gives; what it throws is the sender's fault. */
async function* blaming<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  const items = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const item = await items.next().catch(refuseForm);
      if (item.done === true) return;
      yield item.value;
    }
  } finally {
    await items.return?.();
  }
}

function refuseForm(cause: unknown): never {
  const tooMuch = cause instanceof Error && 'statusCode' in cause && cause.statusCode === 413;
  if (tooMuch) throw new AppError('TOO_LARGE', { message: 'The form has too many parts.', cause });
  const message = 'The form is broken or incomplete.';
  throw new AppError('VALIDATION_FAILED', { message, details: [{ path: '', message }], cause });
}
