/** What every list in pages is asked for with (`page.ts` of the protocol). */
export const pageWords = {
  limit: '1 to 500, else 100.',
  cursor: '`meta.next_cursor` of the page before.',
} as const;
