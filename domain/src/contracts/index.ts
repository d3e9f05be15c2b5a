/** What a browser may know of the domain: views, live messages, field rules, constants, places, messages. No decider, no port. */
export * from '../constants.ts';
export * from '../errors.ts';
export * from '../account/fields.ts';
export * from '../favorites/fields.ts';
export * from '../listing/fields.ts';
export * from '../media/house-pictures.ts';
export * from '../media/photo-url.ts';
export * from '../places/places.ts';
export * from './live.ts';
export * from './pages.ts';
export * from './paths.ts';
export * from './views.ts';
