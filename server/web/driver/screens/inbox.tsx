import { useClient, useRoute } from '@tailgate/client-sdk/react';
import type { ReactNode } from 'react';
import type { IconName } from '../../ui/icons.tsx';
import { Icon } from '../../ui/icons.tsx';
import type { Tone } from '../../ui/parts/chip.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import { links } from '../links.ts';
import type { News } from '../model/news.ts';
import { useNews } from '../news.ts';
import { DriverTabs } from '../parts/driver-tabs.tsx';
import { TopLine } from '../parts/top-line.tsx';
import { fieldName, valueWord } from '../words/news-sentences.ts';
import { moment, t } from '../words/words.ts';
import { reviewSentence } from '../words/review-sentence.ts';
import { whereWord } from '../words/where-words.ts';
import { dayWord } from '../words/day-words.ts';

/** Changes by others to this driver's work, in words, until the driver has seen them. None needs an answer. */
export function InboxScreen() {
  const news = useNews();
  return (
    <Screen title={t('tab.inbox')} className="inbox" top={<TopLine />} foot={<DriverTabs current={links.inbox} />}>
      <header className="route-head">
        <h1>{t('tab.inbox')}</h1>
        <p className="small">{dayWord(news.length === 0 ? 'inbox.empty' : 'inbox.why')}</p>
      </header>
      {news.map((each) => {
        if (each.kind === 'office') return <OfficeNews key={`office ${each.stop.id}`} news={each} />;
        if (each.kind === 'conflict') return <ConflictNews key={each.id} news={each} />;
        if (each.kind === 'remark') return <RemarkNews key={`remark ${each.id}`} news={each} />;
        return <ReviewNews key={each.change.id} news={each} />;
      })}
    </Screen>
  );
}

type Of<Kind extends News['kind']> = { readonly news: Extract<News, { kind: Kind }> };

function OfficeNews({ news: { stop, edits, at } }: Of<'office'>) {
  const client = useClient();
  const route = useRoute();
  const by = [...new Set(edits.map((edit) => edit.by))].join(', ');
  return (
    <Message icon="pen" tone="info" chip={t('route.officeEdit')} at={at}>
      <h2>{dayWord('inbox.office', { n: stop.id, name: stop.customer.name })}</h2>
      <dl className="kv mt">
        {edits.map(({ path, before, after }) => (
          <Difference
            key={path}
            name={fieldName(stop, path)}
            before={valueWord(path, before)}
            after={valueWord(path, after)}
          />
        ))}
      </dl>
      <p className="small">{dayWord('inbox.officeWhy', { by })}</p>
      <div className="btns">
        <a className="btn" href={links.stop(stop.id)}>
          {t('route.open', { n: stop.id })}
        </a>
        <Seen onSeen={() => void client.stop(stop.id, route?.key).seen()} />
      </div>
    </Message>
  );
}

function ConflictNews({ news: { id, stop: number, fields, at } }: Of<'conflict'>) {
  const client = useClient();
  const stop = useRoute()?.stops.find((each) => each.id === number);
  return (
    <Message icon="person" tone="warn" chip={dayWord('inbox.two')} at={at}>
      <h2>{dayWord('inbox.conflict', { n: number })}</h2>
      {fields.map(({ path, mine, theirs }) => {
        const office = stop?.amended.find((edit) => edit.path === path);
        return (
          <div key={path}>
            <p className="small">{fieldName(stop, path)}</p>
            <table className="two">
              <tbody>
                <tr>
                  <th scope="row">{dayWord('inbox.mine')}</th>
                  <td>{valueWord(path, mine)}</td>
                  <td className="small">{dayWord('inbox.kept')}</td>
                </tr>
                <tr className="win">
                  <th scope="row">{office?.by ?? dayWord('inbox.theirs')}</th>
                  <td>{valueWord(path, theirs)}</td>
                  <td>{dayWord('inbox.counts')}</td>
                </tr>
              </tbody>
            </table>
          </div>
        );
      })}
      <p className="small">{dayWord('inbox.again')}</p>
      <div className="btns">
        <a className="btn" href={links.stop(number)}>
          {t('route.open', { n: number })}
        </a>
        <Seen onSeen={() => void client.acknowledge(id)} />
      </div>
    </Message>
  );
}

function ReviewNews({ news: { change, at } }: Of<'review'>) {
  const client = useClient();
  const { id, stop, code, reason, dismissed, acknowledged } = change;
  const isOver = dismissed !== undefined;
  return (
    <Message icon="office" tone="plain" chip={dayWord(isOver ? 'inbox.answered' : 'inbox.review')} at={at}>
      <h2>
        {stop === undefined
          ? dayWord(isOver ? 'inbox.reportOver' : 'inbox.reportReview')
          : dayWord(isOver ? 'inbox.stopOver' : 'inbox.stopReview', { n: stop })}
      </h2>
      {isOver ? <p className="quote">{dismissed}</p> : <p>{reviewSentence(code)}</p>}
      <p className="small">{dayWord(isOver ? 'inbox.overWhy' : 'inbox.reviewWhy')}</p>
      {!isOver && <p className="cap">{whereWord('where.lookSaid', { why: reason })}</p>}
      <p className="cap">
        {dayWord('inbox.trace')} <span className="mono">{id}</span>
      </p>
      {!acknowledged && (
        <div className="btns">
          <Seen onSeen={() => void client.acknowledge(id)} />
        </div>
      )}
    </Message>
  );
}

function RemarkNews({ news: { id, stop, remarks, at } }: Of<'remark'>) {
  const client = useClient();
  return (
    <Message icon="office" tone="plain" chip={dayWord('inbox.remark')} at={at}>
      <h2>{dayWord('inbox.remarkOn', { n: stop.id, name: stop.customer.name })}</h2>
      {remarks.map((remark) => (
        <p key={remark}>{dayWord(`remark.${remark}`)}</p>
      ))}
      <p className="small">{dayWord('inbox.overWhy')}</p>
      <div className="btns">
        <a className="btn" href={links.stop(stop.id)}>
          {t('route.open', { n: stop.id })}
        </a>
        <Seen onSeen={() => void client.acknowledge(id)} />
      </div>
    </Message>
  );
}

interface MessageProps {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly chip: string;
  readonly at: number | undefined;
  readonly children: ReactNode;
}

function Message({ icon, tone, chip, at, children }: MessageProps) {
  return (
    <article className="msg">
      <div className="msg-head">
        <Chip icon={icon} tone={tone}>
          {chip}
        </Chip>
        <span className="cap">{at === undefined ? '' : moment(at, Date.now())}</span>
      </div>
      {children}
    </article>
  );
}

function Difference({
  name,
  before,
  after,
}: {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <span className="diff">
          <del>
            <span className="sr">{dayWord('inbox.was')} </span>
            {before}
          </del>
          <Icon name="arrow" small />
          <ins>
            <span className="sr">{dayWord('inbox.isNow')} </span>
            {after}
          </ins>
        </span>
      </dd>
    </>
  );
}

function Seen({ onSeen }: { readonly onSeen: () => void }) {
  return (
    <button className="btn" type="button" onClick={onSeen}>
      <Icon name="check" />
      {dayWord('inbox.seen')}
    </button>
  );
}
