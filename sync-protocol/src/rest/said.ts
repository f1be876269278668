import * as z from '#schema';
import { text } from '../schema/values.ts';

/** What a person says who decides something: their name, their reason. Spaces say nothing. */
export const said = (longest: number) =>
  text(longest).check(
    z.minLength(1, 'must not be blank'),
    z.refine((value) => !/^\s+$/.test(value), 'must not be blank'),
  );
