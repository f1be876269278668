import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { go } from '../../ui/router.ts';
import { usePageAddress } from '../address.ts';
import { links } from '../links.ts';
import { t } from '../words/words.ts';

/** A pause in the typing asks the server; Enter asks at once. */
const pauseMs = 250;

/** The search field of every page (B3): `/` focuses it. The address keeps its text. */
export function SearchBox() {
  const { steps } = usePageAddress();
  const [first, asked = ''] = steps;
  const isHere = first === 'search';
  const [text, setText] = useState(asked);
  const [isTyping, setTyping] = useState(false);
  const find = (): void => {
    setTyping(false);
    const address = links.search(text.trim());
    if (location.hash !== address) go(address, { replace: isHere });
  };
  useEffect(() => {
    if (!isTyping) return undefined;
    const timer = setTimeout(find, pauseMs);
    return () => clearTimeout(timer);
  }, [isTyping, text]);
  // Another page was opened, or the reader has gone back.
  useEffect(() => {
    const there = isHere ? asked : '';
    // The address has no blank at the end; a person may go on behind it.
    if (!isTyping && text.trim() !== there) setText(there);
  }, [isHere, asked]);
  return (
    <form
      className="searchbox"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        find();
      }}
    >
      <Icon name="search" />
      <input
        className="input"
        type="search"
        data-search=""
        aria-label={t('search.field')}
        placeholder={t('search.hint')}
        maxLength={80}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setTyping(true);
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
