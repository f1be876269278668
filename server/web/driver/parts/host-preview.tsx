import { hostText } from '@tailgate/sync-protocol';
import { t } from '../words/words.ts';

/** The host's spelling of a text while it is typed, changed characters underlined. Empty while nothing changes. */
export function HostPreview({ text, length }: { readonly text: string; readonly length: number }) {
  const host = hostText(text, length);
  return (
    <div aria-live="polite">
      {host.altered && (
        <p className="hosttext">
          {t('line.hostReads')}
          <span className="mono">{spelledBy(text, host.text.length)}</span>
        </p>
      )}
    </div>
  );
}

/** Each character by itself: its spelling on the host does not depend on its neighbours. */
function spelledBy(text: string, length: number) {
  let shown = 0;
  return Array.from(text.trimStart().normalize('NFC')).map((character, place) => {
    if (shown >= length) return null;
    const spelled = hostText(`x${character}x`, 9).text.slice(1, -1);
    shown += spelled.length;
    return spelled === character ? spelled : <mark key={place}>{spelled}</mark>;
  });
}
