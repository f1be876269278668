/** `YYMMDDHHMMSSZ`, for the years up to 2049. */
export const utcTimeOf = (at: Date): string =>
  at
    .toISOString()
    .replaceAll(/[-:T]|\.\d+/g, '')
    .slice(2);
