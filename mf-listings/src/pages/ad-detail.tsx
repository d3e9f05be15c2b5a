import { useState } from 'react';
import { Link } from 'react-router-dom';
import {
  findState,
  formatPrice,
  removeContactMarks,
  type AdView,
  type ContactDetails,
} from '@alpenglow/domain/contracts';
import {
  lazySection,
  Badge,
  Breadcrumbs,
  Button,
  classNames,
  ClockIcon,
  ContactMarks,
  FlagIcon,
  layout,
  LinkButton,
  Page,
  PageHeading,
  PinIcon,
  PrivateMedia,
  TimeAgo,
  useLocale,
  useReport,
} from '@alpenglow/ui';
import { VerifiedMark } from '../ads/verified-mark.tsx';
import { Contact } from '../ads/contact.tsx';
import { Gallery } from '../ads/gallery.tsx';
import { isShown } from '../ads/is-shown.ts';
import MoreAds from '../ads/more-ads.tsx';
import { Reviews } from '../reviews/reviews.tsx';
import { RatingNumber, Stars } from '../reviews/stars.tsx';
import { ShareButton } from '../ads/share.tsx';
import { FavoriteToggle } from '../favorites/favorite-toggle.tsx';
import { cityPath } from '../paths.ts';
import { useText } from '../ads/text.ts';
import styles from './ad.module.css';
import note from './note.module.css';

/** Most ads have no video, so the page loads the code of its player only if there is one. */
const AdVideo = lazySection(() => import(/* webpackChunkName: "ad-video" */ '../ads/video.tsx'), null, {
  chunk: 'ad-video',
});
const OwnerPanel = lazySection(() => import(/* webpackChunkName: "owner-panel" */ '../own-ad/owner-panel.tsx'), null);

export interface AdDetailProps {
  readonly ad: AdView;
  /** True if the ad was deleted while the visitor reads it. The page then hides the contact data. */
  readonly isGone: boolean;
}

/** The page of an ad with photos, contact, description, video, reviews and a button for reports. */
export function AdDetail({ ad: received, isGone }: AdDetailProps) {
  const t = useText();
  const [texts, setTexts] = useState<CompleteTexts | null>(null);
  const ad = withCompleteTexts(received, isGone ? null : texts);
  const isPrivate = ad.status === 'hidden';
  return (
    <Page>
      <Breadcrumbs
        fromHome
        items={[
          { label: findState(ad.state)?.name ?? ad.state, to: `/listings?state=${encodeURIComponent(ad.state)}` },
          { label: ad.city, to: cityPath(ad.state, ad.city) },
          { label: removeContactMarks(ad.title) },
        ]}
      />
      <div role="status">{isGone && <Gone ad={ad} />}</div>
      <article className={styles['layout']}>
        <div className={styles['main']}>
          <PrivateMedia isPrivate={isPrivate}>
            <Gallery
              photos={ad.media.filter((photo) => isShown(ad, photo))}
              name={ad.name}
              canReport={!ad.isOwner && !ad.isDemo && !isGone}
            />
          </PrivateMedia>
        </div>
        <div className={styles['side']}>
          <Head ad={ad} received={received} isGone={isGone} />
          {ad.isOwner && !isGone && <OwnerPanel ad={ad} />}
          {/* After a change of the ad, the contact details may be out of date, so they are hidden again. */}
          {!isGone && (
            <Contact
              key={ad.updatedAt}
              ad={received}
              hasBar={!ad.isOwner}
              onShown={(details) => setTexts({ updatedAt: ad.updatedAt, ...details.texts })}
            />
          )}
          <section className={styles['text']} aria-labelledby="about">
            <h2 id="about">{t('about')}</h2>
            <p>
              <ContactMarks text={ad.description} />
            </p>
            {ad.body !== null && (
              <>
                <h3>{t('physique')}</h3>
                <p>
                  <ContactMarks text={ad.body} />
                </p>
              </>
            )}
          </section>
          {ad.videoMedia && isShown(ad, ad.videoMedia) && (
            <PrivateMedia isPrivate={isPrivate}>
              <AdVideo video={ad.videoMedia} name={ad.name} />
            </PrivateMedia>
          )}
          <Reviews ad={ad} readOnly={isGone} />
          {!ad.isOwner && !isGone && <Report adId={ad.id} />}
        </div>
      </article>
      <MoreAds state={ad.state} city={ad.city} except={[ad.id]} />
    </Page>
  );
}

/** The texts of an ad with the contact details that they contain. */
type CompleteTexts = ContactDetails['texts'] & Pick<AdView, 'updatedAt'>;

/**
 * Returns the ad with its complete texts, which the visitor has requested with the contact details. Texts and reviews
 * that have changed since are shown without contact details.
 */
function withCompleteTexts(ad: AdView, texts: CompleteTexts | null): AdView {
  if (texts?.updatedAt !== ad.updatedAt) return ad;
  const { reviews, ...others } = texts;
  const completeReviews = ad.reviews.map(
    (review) => reviews.find(({ id, editedAt }) => id === review.id && editedAt === review.editedAt) ?? review,
  );
  return { ...ad, ...others, reviews: completeReviews };
}

function Head({ ad, received, isGone }: AdDetailProps & { readonly received: AdView }) {
  const t = useText();
  const price = formatPrice(ad.price, useLocale());
  return (
    <header className={styles['head']}>
      <p className={styles['who']}>
        <ContactMarks text={ad.name} />
        {ad.age !== null && <span className={styles['age']}>{ad.age}</span>}
        {ad.verified && <VerifiedMark />}
        <Badge tone="accent">{t(`categories.${ad.category}`)}</Badge>
        {ad.isDemo && <Badge title={t('demoAdText')}>{t('demoAd')}</Badge>}
      </p>
      <PageHeading documentTitle={`${removeContactMarks(received.title)}, ${ad.location}`}>
        <ContactMarks text={ad.title} />
      </PageHeading>
      {price !== null && (
        <p className={styles['price']}>
          <ContactMarks text={price} />
        </p>
      )}
      <div className={styles['facts']}>
        <span>
          <PinIcon />
          <Link to={cityPath(ad.state, ad.city)}>{ad.location}</Link>
        </span>
        <span>
          <ClockIcon />
          {t('active')} <TimeAgo at={ad.lastBumpedAt} />
        </span>
        {ad.reviewCount > 0 && (
          <a href="#reviews" className={styles['rating']}>
            <Stars rating={ad.averageRating} /> <RatingNumber rating={ad.averageRating} />
          </a>
        )}
      </div>
      <div className={styles['tools']}>
        {!ad.isOwner && <FavoriteToggle adId={ad.id} name={ad.name} />}
        {!isGone && <ShareButton ad={ad} />}
      </div>
      {!isGone && <Changed ad={received} />}
    </header>
  );
}

/**
 * Shows a note if the ad has changed since the page was opened. A bump does not count as a change, because it does not
 * change the content. Nor do contact details in texts, which the owner and admins receive after the first HTML.
 */
function Changed({ ad }: { readonly ad: AdView }) {
  const t = useText();
  const [initial] = useState(ad);
  return (
    <p role="status" className={classNames(layout['muted'], styles['changed'])}>
      {ad.updatedAt !== initial.updatedAt && contentOf(ad) !== contentOf(initial) && t('adChanged')}
    </p>
  );
}

const contentOf = ({ name, title, category, location, price, description, body }: AdView) =>
  JSON.stringify([name, title, category, location, price, description, body]);

function Gone({ ad }: { readonly ad: AdView }) {
  const t = useText();
  return (
    <div className={note['note']}>
      <div>
        <strong>{t('adRemoved')}</strong>
        <p>{t('adRemovedText')}</p>
      </div>
      <LinkButton to={cityPath(ad.state, ad.city)} size="small">
        {t('backToList', { city: ad.city })}
      </LinkButton>
    </div>
  );
}

/**
 * Buttons that report the ad or its owner to the moderators. A report is possible without an account. Both kinds of
 * reports contain the id of the ad.
 */
function Report({ adId }: { readonly adId: string }) {
  const t = useText();
  const report = useReport();
  return (
    <aside className={styles['report']} aria-label={t('report')}>
      <p>
        {t('reportText')} <Link to="/help">{t('reportHelp')}</Link>
      </p>
      <div className={layout['row2']}>
        <Button size="small" onClick={() => report({ kind: 'ad', id: adId })}>
          <FlagIcon />
          {t('report')}
        </Button>
        <Button variant="quiet" size="small" onClick={() => report({ kind: 'account', id: adId })}>
          {t('reportPerson')}
        </Button>
      </div>
    </aside>
  );
}
