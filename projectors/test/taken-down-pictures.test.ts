import { storedKeysOf, type DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { takenDownPictures } from '../src/projections/taken-down-pictures.ts';
import type { Projection } from '../src/projection.ts';
import { STARTED_AT, project } from './project.ts';

const pictures = takenDownPictures as unknown as Projection;
const hash = '0f'.repeat(32);
const takenDown = (reference: string): DomainEvent => ({
  type: 'PictureTakenDown',
  data: { pictureId: 'm1', reference, hash },
});
const released = (reference: string): DomainEvent => ({
  type: 'PictureReleased',
  data: { pictureId: 'm1', reference },
});

describe('taken_down_pictures', () => {
  test('PictureTakenDown adds a picture with its hash and its keys', () => {
    expect(project(pictures, takenDown('c1'))['m1']).toEqual({
      picture_id: 'm1',
      refs: ['c1'],
      taken_down_at: STARTED_AT,
      hash,
      hash_keys: storedKeysOf(hash),
      digests: [],
    });
  });

  test('PictureTakenDown adds digests, also for the same case', () => {
    const [one, other] = ['1', '2'].map((digit) => digit.repeat(64));
    const exact = (digests: readonly (string | undefined)[]): DomainEvent => ({
      type: 'PictureTakenDown',
      data: { pictureId: 'm1', reference: 'c1', hash, digests: digests.flatMap((digest) => digest ?? []) },
    });
    expect(project(pictures, exact([one]), exact([one, other]))['m1']).toMatchObject({
      refs: ['c1'],
      digests: [one, other],
    });
  });

  test('only new digests move its time, so that its copies are searched again', () => {
    const exact = (reference: string, ...digits: readonly string[]): DomainEvent => ({
      type: 'PictureTakenDown',
      data: { pictureId: 'm1', reference, hash, digests: digits.map((digit) => digit.repeat(64)) },
    });
    expect(project(pictures, exact('c1', '1'), exact('r1', '1'))['m1']).toMatchObject({ taken_down_at: STARTED_AT });
    const moved = project(pictures, exact('c1', '1'), exact('c1', '1', '2'))['m1'];
    expect(String(moved?.['taken_down_at']) > STARTED_AT).toBe(true);
  });

  test('PictureReleased removes it when no case or request takes it down', () => {
    const both = [takenDown('c1'), takenDown('r1')];
    expect(project(pictures, ...both, released('c1'))['m1']).toMatchObject({ refs: ['r1'] });
    expect(project(pictures, ...both, released('c1'), released('r1'))).toEqual({});
    expect(project(pictures, released('c1'))).toEqual({});
  });
});
