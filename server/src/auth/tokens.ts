import { createHash, randomBytes } from 'node:crypto';

/** A bearer token: 32 random bytes, base64url. It is shown once, to the driver who signs in. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** What is stored of a token. Random bytes need no salt and no slow hash: there is nothing to guess. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
