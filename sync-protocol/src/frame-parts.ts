import * as z from '#schema';

export const scopeName = z.string().check(z.minLength(1), z.maxLength(120));
export const shortText = z.string().check(z.maxLength(200));
export const documentVersion = z.int().check(z.gte(0));
