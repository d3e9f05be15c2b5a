import { useInfiniteQuery } from '@tanstack/react-query';
import type { AdCard, StatementView } from '@alpenglow/domain/contracts';
import { layout, LinkButton, useApi, useLocale, useUser } from '@alpenglow/ui';
import { statementsQuery } from '../decisions/api.ts';
import { useText } from './text.ts';
import note from '../pages/note.module.css';

type Ad = Pick<AdCard, 'id' | 'status' | 'media' | 'videoMedia'>;

/** Informs the owner about decisions of moderation about the ad, or a photo or video of it. */
export function ModerationNote({ ad }: { readonly ad: Ad }) {
  return (
    <>
      {ad.status === 'hidden' ? <HiddenNote /> : <RequestNote adId={ad.id} />}
      <FilesNote ad={ad} />
    </>
  );
}

/** Informs the owner about a requested change, or about a warning as long as an appeal is possible. */
function RequestNote({ adId }: { readonly adId: string }) {
  const t = useText();
  const locale = useLocale();
  const api = useApi();
  const viewer = useUser()?.id ?? '';
  const list = useInfiniteQuery(statementsQuery(api, viewer));
  const statement = list.data?.pages
    .flatMap(({ data }) => data)
    .find(({ subject, isInForce }) => isInForce && subject.kind === 'ad' && subject.id === adId);
  if (statement === undefined || !isRequest(statement)) return null;
  const { outcome, changeBy, isChanged, id } = statement;
  const isChange = outcome === 'change_requested';
  if (isChange && isChanged) return <ChangedNote decisionId={id} />;
  const date = new Date(changeBy ?? statement.at).toLocaleDateString(locale, { dateStyle: 'long' });
  return (
    <div className={note['note']}>
      <div>
        <strong>{isChange ? t('changeAd', { date }) : t('warnedAd')}</strong>
        <p>{t(isChange ? 'changeAdText' : 'warnedAdText')}</p>
      </div>
      <div className={layout['row2']}>
        {isChange && (
          <LinkButton to={`/edit/${adId}`} size="small" variant="primary">
            {t('changeAdEdit')}
          </LinkButton>
        )}
        <LinkButton to={`/account/decisions/${encodeURIComponent(id)}`} size="small">
          {t('hiddenAdWhy')}
        </LinkButton>
      </div>
    </div>
  );
}

/** Informs the owner that a moderator will read the change. */
function ChangedNote({ decisionId }: { readonly decisionId: string }) {
  const t = useText();
  return (
    <div className={note['note']}>
      <div>
        <strong>{t('changedAd')}</strong>
        <p>{t('changedAdText')}</p>
      </div>
      <LinkButton to={`/account/decisions/${encodeURIComponent(decisionId)}`} size="small">
        {t('hiddenAdWhy')}
      </LinkButton>
    </div>
  );
}

const isRequest = ({ outcome, appealableUntil, appeal }: StatementView) =>
  outcome === 'change_requested' || (outcome === 'warned' && (appealableUntil !== null || appeal?.outcome === null));

function FilesNote({ ad }: { readonly ad: Ad }) {
  // Cards that an older version stored in the browser have no `hold`.
  const photos = ad.media.filter(({ hold }) => hold != null).length;
  const hasVideo = ad.videoMedia?.hold != null;
  return photos > 0 || hasVideo ? <HeldFilesNote ad={ad} photos={photos} hasVideo={hasVideo} /> : null;
}

interface HeldFiles {
  readonly ad: Pick<AdCard, 'id' | 'status'>;
  readonly photos: number;
  readonly hasVideo: boolean;
}

/** Informs the owner that moderation has taken a photo or video out of the ad. */
function HeldFilesNote({ ad, photos, hasVideo }: HeldFiles) {
  const t = useText();
  return (
    <div className={note['note']}>
      <div>
        {photos > 0 && (
          <p>
            <strong>{t('heldPhotos', { count: photos })}</strong>
          </p>
        )}
        {hasVideo && (
          <p>
            <strong>{t('heldVideo')}</strong>
          </p>
        )}
        <p>{t(ad.status === 'hidden' ? 'heldTextHidden' : 'heldText')}</p>
      </div>
      <div className={layout['row2']}>
        <LinkButton to={`/edit/${ad.id}`} size="small" variant="primary">
          {t('heldEdit')}
        </LinkButton>
        <LinkButton to="/account/decisions" size="small">
          {t('hiddenAdWhy')}
        </LinkButton>
      </div>
    </div>
  );
}

/** Informs the owner that a moderator has hidden the ad. A link opens the decision. */
function HiddenNote() {
  const t = useText();
  return (
    <div className={note['note']}>
      <div>
        <strong>{t('hiddenAd')}</strong>
        <p>{t('hiddenAdText')}</p>
      </div>
      <LinkButton to="/account/decisions" size="small">
        {t('hiddenAdWhy')}
      </LinkButton>
    </div>
  );
}
