import { describe, expect, test } from 'vitest';
import {
  AD_FIELD_NAMES,
  AD_FIELDS,
  AD_TEXTS,
  CARD_TEXTS,
  completeContent,
  emptyTexts,
  EMPTY_OPTIONAL_FIELDS,
  PAGE_TEXTS,
} from '../../src/listing/ad-fields.ts';
import { upcastAndParse } from '../../src/event-definition.ts';
import { listingEvents } from '../../src/listing/events.ts';
import { newAdFields, updateAdFields } from '../../src/listing/fields.ts';
import { adPosted, AD_FIELDS as CONTENT } from './posted-ad.ts';

const definitionOf = (type: string) => {
  const found = listingEvents.find((definition) => definition.type === type);
  if (!found) throw new Error(`There is no event ${type}`);
  return found;
};
const ids = { accountId: 'anna', adId: 'a1' };

describe('the declared fields of an ad', () => {
  test('are the fields of a new ad and of a change, in the same order', () => {
    expect(Object.keys(newAdFields.shape)).toEqual(AD_FIELD_NAMES);
    expect(Object.keys(updateAdFields.shape)).toEqual(AD_FIELD_NAMES);
  });

  test('on cards and on the page have names that are also names of columns', () => {
    for (const name of [...CARD_TEXTS, ...PAGE_TEXTS]) expect(name).toMatch(/^[a-z]+$/u);
  });

  test('are removed by an erasure, except those that identify no person', () => {
    const { personalFields } = definitionOf('AdPosted');
    const erased = { name: '', title: '', description: '', body: null, phone: null, socialMedia: null };
    expect(personalFields).toMatchObject(erased);
    for (const name of ['category', 'state', 'city', 'price', 'photos', 'video'])
      expect(personalFields).not.toHaveProperty(name);
    expect(Object.keys(definitionOf('AdUpdated').personalFields)).toEqual(Object.keys(personalFields));
  });

  test('have values without content that are valid in events', () => {
    for (const name of AD_FIELD_NAMES)
      if (AD_FIELDS[name].kind !== 'choice')
        expect(AD_FIELDS[name].stored.safeParse(AD_FIELDS[name].empty).success).toBe(true);
    expect(emptyTexts(AD_TEXTS)).toMatchObject({
      name: '',
      title: '',
      description: '',
      price: null,
      body: null,
      phone: null,
    });
  });
});

describe('a stock picture', () => {
  test('in a stored ad counts only for a demo ad', () => {
    const photos = ['demo-01', 'mine', 'demo-48'];
    const read = (type: 'AdPosted' | 'AdUpdated', data: object) => {
      const definition = definitionOf(type);
      return upcastAndParse(definition, definition.version, data);
    };
    const { data } = adPosted();
    expect(read('AdPosted', { ...data, photos })).toEqual({ ...data, photos: ['mine'] });
    expect(read('AdPosted', { ...data, photos, isDemo: true })).toEqual({ ...data, photos, isDemo: true });
    expect(read('AdUpdated', { ...ids, photos })).toEqual({ ...ids, photos: ['mine'] });
  });
});

describe('an optional field', () => {
  test('is null in an event that was stored before the field existed', () => {
    const { data } = adPosted({ phone: '+17025550100' });
    const { body: _body, price: _price, ...older } = data;
    const definition = definitionOf('AdPosted');
    expect(upcastAndParse(definition, definition.version, older)).toEqual({ ...data, body: null, price: null });
  });

  test('stays absent in an event that does not change it', () => {
    const changes = { ...ids, title: 'Calmer' };
    expect(upcastAndParse(definitionOf('AdUpdated'), 1, changes)).toEqual(changes);
    expect(Object.keys(upcastAndParse(definitionOf('AdUpdated'), 1, changes))).toEqual(Object.keys(changes));
  });

  test('of a newer build does not prevent this build from reading an event', () => {
    const { data } = adPosted();
    const definition = definitionOf('AdPosted');
    expect(upcastAndParse(definition, definition.version, { ...data, fieldOfANewerBuild: 'English' })).toEqual(data);
  });

  test('may be absent in a command', () => {
    const { name, title, category, state, city, description } = CONTENT;
    const required = { name, title, category, state, city, description };
    expect(completeContent({ ...required, phone: '+17025550100' })).toEqual({
      ...required,
      ...EMPTY_OPTIONAL_FIELDS,
      phone: '+17025550100',
    });
  });
});
