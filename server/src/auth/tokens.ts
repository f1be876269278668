import { createHash, randomBytes } from 'node:crypto';

/** A bearer token: 32 random bytes, base64url. Only the answer to the sign-in contains it. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** The stored hash of a token. Random bytes need no salt and no slow hash. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
