import { expect, test } from 'vitest';
import { faultOf } from '../src/account/identity/pictures.ts';

const picture = (name: string, type = 'image/jpeg', size = 10_000_000) => ({ name, type, size });

test('one or two pictures of at most 10 MB show who somebody is', () => {
  expect(faultOf([picture('a.jpg')])).toBeNull();
  expect(faultOf([picture('a.jpg'), picture('b.png', 'image/png', 1)])).toBeNull();
});

test.each([
  [[picture('a.jpg'), picture('b.jpg'), picture('c.jpg')], { text: 'identity.tooMany', name: '' }],
  [[picture('a.jpg'), picture('b.heic', 'image/heic')], { text: 'identity.notAPicture', name: 'b.heic' }],
  [[picture('a.svg', 'image/svg+xml')], { text: 'identity.notAPicture', name: 'a.svg' }],
  [[picture('a.jpg', 'image/jpeg', 10_000_001)], { text: 'identity.tooLarge', name: 'a.jpg' }],
])('%#: what is refused before it is sent', (pictures, fault) => {
  expect(faultOf(pictures)).toEqual(fault);
});
