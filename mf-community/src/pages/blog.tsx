import { useParams } from 'react-router-dom';
import { COUNTRIES, findCity } from '@alpenglow/domain/contracts';
import { LinkButton } from '@alpenglow/ui';
import { adsPath, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { NotYetPage } from './not-yet.tsx';

/** `/blog` and `/blog/{citySlug}`. */
export function BlogPage() {
  const t = useText();
  const { citySlug } = useParams();
  const place = citySlug === undefined ? null : cityOf(citySlug);
  if (!place?.city) return <NotYetPage title={t('blog')} lead={t('blogLead')} notYet={t('blogNotYetText')} />;
  return (
    <NotYetPage
      title={t('blogIn', { place: place.city })}
      shortTitle={place.city}
      way={[{ label: t('blog'), to: '/blog' }]}
      lead={t('blogLead')}
      notYet={t('blogNotYetText')}
      actions={<LinkButton to={adsPath(place)}>{t('adsIn', { place: place.city })}</LinkButton>}
    />
  );
}

function cityOf(slug: string): Place | null {
  const found = findCity(slug);
  const country = found && COUNTRIES.find(({ states }) => states.includes(found.state));
  return country ? { country, ...found } : null;
}
