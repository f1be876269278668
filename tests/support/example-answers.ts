import * as z from 'zod/mini';

/** The `data` of an answer; undefined where it has none. */
export const dataOf = (answer: unknown): unknown => z.object({ data: z.unknown() }).safeParse(answer).data?.data;

/** The credentials of a driver, from the data of a sign-in. */
export const signedIn = (data: unknown) => z.object({ employee_id: z.string(), api_token: z.string() }).parse(data);
