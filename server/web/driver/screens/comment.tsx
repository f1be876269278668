import { useClient, useRoute } from '@tailgate/client-sdk/react';
import { hostLengths } from '@tailgate/sync-protocol';
import { useState } from 'react';
import { Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { longestComment } from '../model/draft.ts';
import { isPending } from '../model/order.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import { record } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t } from '../words/words.ts';

/**
 * The driver's comment on a stop. Every keystroke is kept until the delivery records it; on a finished stop the gate
 * records it, and until then it is in this sheet alone: a draft would keep an undo from returning the former one.
 */
export function CommentSheet({ stop: id }: { readonly stop: number }) {
  const client = useClient();
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  const [draft, change] = useStopDraft(id);
  const [text, setText] = useState(draft.comment || (stop?.updates.driver_comments ?? ''));
  const [isChanged, setChanged] = useState(false);
  if (!route || !stop) return null;
  const close = (): void => goBack(links.stop(id));
  const keep = (): void => {
    if (!isPending(stop)) {
      const correct = () => client.stop(id, route.key).update({ updates: { driver_comments: text.trim() } });
      if (!record({ stop: id, kind: 'corrected' }, correct)) return;
      change((before) => ({ ...before, comment: '' }));
    }
    close();
  };
  return (
    <Sheet
      title={t('note.title', { n: id })}
      over={stop.customer.name}
      closeLabel={t(isChanged && !isPending(stop) ? 'line.close' : 'app.close')}
      onClose={close}
      foot={<Gate act={t('note.save')} icon="check" onAct={keep} />}
    >
      <label className="field">
        <span className="lab">{t('note.label')}</span>
        <textarea
          className="input"
          rows={3}
          maxLength={longestComment}
          value={text}
          onInput={(event) => {
            const { value } = event.currentTarget;
            setText(value);
            setChanged(true);
            if (isPending(stop)) change((before) => ({ ...before, comment: value }));
          }}
        />
      </label>
      <HostPreview text={text} length={hostLengths.driver_comments} />
    </Sheet>
  );
}
