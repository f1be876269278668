import type * as z from 'zod/mini';

/** Words for an object schema: a component of the document, or the parameters of a path or a query. */
export interface Described {
  /** The name of the component. */
  readonly name: string;
  readonly schema: z.core.$ZodObject;
  readonly about: string;
  readonly fields: Readonly<Record<string, string>>;
}

type FieldsOf<Schema extends z.core.$ZodObject> = Readonly<
  Record<keyof Schema['_zod']['def']['shape'] & string, string>
>;

/**
 * Describes a schema field by field. The compiler refuses a field without words and words without a field. The words
 * stay on the server, because phones load the schemas and need no documentation.
 */
export const described = <Schema extends z.core.$ZodObject>(
  name: string,
  schema: Schema,
  about: string,
  fields: FieldsOf<Schema>,
): Described => ({ name, schema, about, fields });

/** Words for the query of every paged list (`page.ts` of the protocol). */
export const pageWords = {
  limit: '1 to 500; 100 by default.',
  cursor: '`meta.next_cursor` of the previous page.',
} as const;
