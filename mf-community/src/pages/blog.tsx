import { useParams } from 'react-router-dom';
import { findCity } from '@alpenglow/domain/contracts';
import { communityMessages as text, fill } from '@alpenglow/ui';
import { NotYetPage } from './not-yet.tsx';

/** `/blog` and `/blog/{citySlug}`. */
export function BlogPage() {
  const { citySlug } = useParams();
  const place = citySlug === undefined ? null : findCity(citySlug);
  return <NotYetPage title={place ? fill(text.blogIn, { place: place.city }) : text.blog} lead={text.blogLead} notYet={text.blogNotYetText} />;
}
