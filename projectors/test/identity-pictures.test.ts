import { storedKeysOf, type DomainEvent } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { identityPictures } from '../src/projections/identity-pictures.ts';
import type { Projection } from '../src/projection.ts';
import { project } from './project.ts';
import { SAMPLES } from './samples.ts';

const pictures = identityPictures as unknown as Projection;
const hashes = ['0f'.repeat(32), '3c'.repeat(32)];
const requested: DomainEvent = {
  type: 'IdentityCheckRequested',
  data: { accountId: 'anna', checkId: 'c1', files: 2, hashes },
};

test('IdentityCheckRequested adds the hashes of its pictures; IdentityEvidenceDestroyed removes them', () => {
  expect(project(pictures, requested)['c1']).toMatchObject({
    check_id: 'c1',
    account_id: 'anna',
    hashes,
    hash_keys: expect.arrayContaining([...storedKeysOf('3c'.repeat(32))]) as unknown,
  });
  expect(project(pictures, requested, SAMPLES.IdentityEvidenceDestroyed)).toEqual({});
});

test('a check of an earlier version has no hashes', () => {
  expect(project(pictures, SAMPLES.IdentityCheckRequested)['c1']).toMatchObject({ hashes: [], hash_keys: [] });
});
