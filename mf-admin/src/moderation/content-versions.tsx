import { useState } from 'react';
import { parsePhotoUrl, parseVideoUrl, type CaseView, type ContentView } from '@alpenglow/domain/contracts';
import { Badge, Button, Card, RichHtml, Skeleton, useMediaUrl } from '@alpenglow/ui';
import { formatPlainFieldName } from '../history/labels.ts';
import { useFormatTime } from '../panel/use-format-time.ts';
import { translateOr, useText } from '../text.ts';
import { ContentReviews } from './content-reviews.tsx';
import styles from './versions.module.css';

/** The ids of the texts of fields whose names differ from those in a history. */
const FIELD_TEXTS: Readonly<Record<string, string>> = { state: 'blog.state', summary: 'blog.summary' };

/**
 * Checks whether two versions of the reported content are equal. The revisions and the times are ignored, because
 * hiding the content creates an event without changing the content. The id of an ad that was posted again is ignored,
 * too.
 */
const hasSameContent = (
  { revision: _a, at: _b, adId: _c, ...left }: ContentView,
  { revision: _d, at: _e, adId: _f, ...right }: ContentView,
) => JSON.stringify(left) === JSON.stringify(right);

interface ContentVersionsProps {
  readonly subject: CaseView['subject'];
  readonly judged: ContentView;
  readonly now: ContentView;
  /** URLs of the photos that visitors do not see, because a case about the photo hides it. */
  readonly hiddenPhotos: readonly string[];
}

/**
 * Shows the version of the content that was reported or decided on. If the content has changed since then, the current
 * version is shown next to it.
 */
export function ContentVersions({ subject, judged, now, hiddenPhotos }: ContentVersionsProps) {
  const t = useText();
  const isSame = hasSameContent(judged, now);
  const shared = { shownAdId: now.adId ?? subject.id, hiddenPhotos };
  return (
    <section className={styles['versions']} aria-labelledby="versions">
      <h2 id="versions">{t('moderation.versions')}</h2>
      <p className={styles['quiet']}>{isSame ? t('moderation.unchanged') : t('moderation.changed')}</p>
      <div className={styles['pair']}>
        <Version title={t('moderation.judged')} {...shared} content={judged} other={null} />
        {!isSame && <Version title={t('moderation.now')} {...shared} content={now} other={judged} />}
      </div>
    </section>
  );
}

interface VersionProps {
  readonly title: string;
  /** The ad that shows the reviews now. It may continue the reported one. */
  readonly shownAdId: string;
  readonly hiddenPhotos: readonly string[];
  readonly content: ContentView;
  /** The version to compare with, or null for no comparison. Differences between the versions are marked. */
  readonly other: ContentView | null;
}

function Version({ title, shownAdId, hiddenPhotos, content, other }: VersionProps) {
  const t = useText();
  const formatTime = useFormatTime();
  const fields = [
    ...(content.category === null ? [] : [{ name: 'category', value: t(`categories.${content.category}`) }]),
    ...content.fields,
  ];
  const valueIn = (version: ContentView, name: string) =>
    (name === 'category'
      ? version.category && t(`categories.${version.category}`)
      : version.fields.find((field) => field.name === name)?.value) ?? null;
  const formatValue = (name: string, value: string | null) =>
    value === null ? t('moderation.none') : name === 'userType' ? translateOr(t, `value.${value}`, value) : value;
  const differs = (name: string, value: string | null) => other !== null && valueIn(other, name) !== value;
  return (
    <Card className={styles['version']}>
      <h3>
        {title}
        {content.at !== null && (
          <time dateTime={content.at} className={styles['quiet']}>
            {formatTime(content.at)}
          </time>
        )}
      </h3>
      {content.isGone ? (
        <p>{t('moderation.isGone')}</p>
      ) : (
        <>
          {content.title !== null && (
            <p
              className={styles['title']}
              data-changed={(other !== null && other.title !== content.title) || undefined}
            >
              <bdi>{content.title}</bdi>
            </p>
          )}
          {content.html !== null && (
            <div data-changed={(other !== null && other.html !== content.html) || undefined}>
              <RichHtml html={content.html} />
            </div>
          )}
          {fields.length > 0 && (
            <dl className={styles['fields']}>
              {fields.map(({ name, value }) =>
                value === null && !differs(name, value) ? null : (
                  <div key={name} data-changed={differs(name, value) || undefined}>
                    <dt>
                      {translateOr(t, FIELD_TEXTS[name] ?? '', formatPlainFieldName(t, name))}
                      {differs(name, value) && <Badge tone="accent">{t('moderation.differs')}</Badge>}
                    </dt>
                    <dd dir="auto">{formatValue(name, value)}</dd>
                  </div>
                ),
              )}
            </dl>
          )}
          {content.photos.length > 0 && (
            <Photos
              addresses={content.photos}
              hidden={hiddenPhotos}
              isChanged={other !== null && other.photos.join() !== content.photos.join()}
            />
          )}
          {content.video !== null && <Video address={content.video} />}
          <ContentReviews
            adId={shownAdId}
            reviews={content.reviews}
            isChanged={other !== null && JSON.stringify(other.reviews) !== JSON.stringify(content.reviews)}
          />
        </>
      )}
    </Card>
  );
}

interface PhotosProps {
  readonly addresses: readonly string[];
  /** Those of the pictures that visitors do not see. They have a mark. */
  readonly hidden: readonly string[];
  readonly isChanged: boolean;
}

/**
 * Shows the pictures of reported content. A picture is blurred until the moderator clicks it, because not every
 * decision requires viewing all pictures.
 */
function Photos({ addresses, hidden, isChanged }: PhotosProps) {
  const t = useText();
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set());
  const toggle = (address: string) =>
    setRevealed((before) =>
      before.has(address) ? new Set([...before].filter((other) => other !== address)) : new Set([...before, address]),
    );
  return (
    <ul role="list" className={styles['photos']} data-changed={isChanged || undefined}>
      {addresses.map((address, index) => (
        <li key={address}>
          <button
            type="button"
            className={styles['photo']}
            aria-pressed={revealed.has(address)}
            aria-label={t(hidden.includes(address) ? 'moderation.showHiddenPhoto' : 'moderation.showPhoto', {
              number: index + 1,
            })}
            onClick={() => toggle(address)}
          >
            <Photo address={address} isBlurred={!revealed.has(address)} />
            <span className={styles['number']} aria-hidden>
              {index + 1}
              {hidden.includes(address) && ` · ${t('moderation.photoIsHidden')}`}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Photo({ address, isBlurred }: { readonly address: string; readonly isBlurred: boolean }) {
  const url = useMediaUrl(parsePhotoUrl(address), address);
  return url === null ? null : <img src={url} alt="" loading="lazy" data-blurred={isBlurred || undefined} />;
}

function Video({ address }: { readonly address: string }) {
  const t = useText();
  const [isShown, setShown] = useState(false);
  const url = useMediaUrl(isShown ? parseVideoUrl(address) : null, address);
  if (!isShown) return <Button onClick={() => setShown(true)}>{t('moderation.showVideo')}</Button>;
  if (url === null) return <Skeleton height="12rem" />;
  return <video src={url} controls preload="metadata" className={styles['video']} aria-label={t('field.video')} />;
}
