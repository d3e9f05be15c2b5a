import { DEMO_EMAILS } from '@alpenglow/domain';
import type { DemoAd } from './demo-ads.ts';

/** The ad of the demo provider, without its photos. */
export const PROVIDER_AD: Omit<DemoAd, 'photos'> & { readonly photos: readonly [] } = {
  email: DEMO_EMAILS.provider,
  age: 30,
  fields: {
    name: 'Marlow',
    title: 'Dinner, desert walks and good questions',
    category: 'companion',
    state: 'NV',
    city: 'Las Vegas',
    description:
      'I like evenings that begin early and end with a long walk. We could have dinner away from the crowds, see a ' +
      'show, or drive out to the red rocks before sunset.\n\nI plan one meeting a day and answer every message ' +
      'within a few hours. Please tell me a little about yourself first.',
    price: '220 / h',
    body: 'Athletic, 176 cm',
    // Phone numbers of the form 555-01xx are reserved for fiction, so they do not belong to a person.
    phone: '+1 702 555 0142',
    socialMedia: null,
  },
  photos: [],
  reviews: [
    { name: 'Conference visitor', comment: 'Kind, punctual, exactly as described.', rating: 5 },
    { name: 'Weekend guest', comment: 'A pleasant evening, easy to talk to.', rating: 4 },
    { name: 'J. R.', comment: 'Lovely company and a real conversation.', rating: 5 },
  ],
  age_ms: 26 * 60 * 60_000,
  isFeatured: false,
  isVerified: true,
  views: 148,
};
