import { z } from 'zod';

const address = z.email();

/** Whether a mail server would know what to do with it. */
export const isMailAddress = (text: string): boolean => address.safeParse(text).success;
