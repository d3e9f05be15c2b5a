/**
 * The parts of the domain that browsers may use: views, live messages, validation rules for fields, constants, places
 * and messages. Deciders and ports are not included.
 */
export * from '../constants.ts';
export * from '../error-catalogue.ts';
export * from '../account/fields.ts';
export * from '../admin-fields.ts';
export * from '../article/fields.ts';
export * from '../consent/fields.ts';
export * from '../consent/texts.ts';
export * from '../demo-accounts.ts';
export * from '../favorites/fields.ts';
export * from '../follows/fields.ts';
export * from '../front-ends/fields.ts';
export * from '../front-ends/measures.ts';
export * from '../hiding-rule/fields.ts';
export * from '../identity/fields.ts';
export { parseAmount } from '../listing/amounts.ts';
export * from '../listing/fields.ts';
export { splitWords } from '../listing/search-words.ts';
export { PHOTO_CONTENT_TYPES, VIDEO_CONTENT_TYPES } from '../media/fields.ts';
export * from '../media/stock-pictures.ts';
export * from '../media/photo-url.ts';
export * from '../moderation/fields.ts';
export * from '../moderation/hidden-with-file.ts';
export * from '../moderation/rules.ts';
export * from '../moderation/subject.ts';
export * from '../person/fields.ts';
export * from '../person/steps.ts';
export * from '../places/places.ts';
export * from '../removal/fields.ts';
export * from '../report/fields.ts';
export * from '../thread/fields.ts';
export { parsePostId } from '../thread/post-id.ts';
export * from '../wait-text.ts';
export * from './contact-marks.ts';
export * from './format-price.ts';
export * from './live.ts';
export * from './live-types.ts';
export * from './mark-words.ts';
export * from './minutes-left.ts';
export * from './pages.ts';
export * from './paths.ts';
export * from './sorts.ts';
export * from './views.ts';
