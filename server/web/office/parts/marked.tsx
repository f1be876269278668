import { Fragment } from 'react';
import { markedParts } from '../model/marked.ts';

/** A text with the matches of a question marked. */
export function Marked({ text, question }: { readonly text: string; readonly question: string }) {
  return (
    <span>
      {markedParts(text, question).map((part, place) =>
        part.isHit ? (
          <mark key={place} className="hit">
            {part.text}
          </mark>
        ) : (
          <Fragment key={place}>{part.text}</Fragment>
        ),
      )}
    </span>
  );
}
