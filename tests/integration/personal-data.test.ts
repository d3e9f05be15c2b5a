import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { findEventDefinition, START_POSITION, toDomainEvent, toStreamId, account } from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../support/api.ts';
import { testApi, testPool, testProduct } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const pool = testPool(product);
let person: Person;
const secretTexts = {
  name: 'Xylophona',
  title: 'Quixotic evening',
  description: 'Zephyr and marmalade.',
  phone: '+17028675309',
};

beforeAll(async () => {
  person = await api.signUp('provider');
  const { id } = await api.postAd(person.token, {
    ...secretTexts,
    socialMedia: { website: 'https://wunderkammer.example' },
  });
  await api.call('PUT', `/api/ads/${id}`, { token: person.token, body: { body: 'Tall as a poplar' } });
});

const clearTexts = () => [
  ...Object.values(secretTexts),
  person.email,
  'wunderkammer',
  'poplar',
  'correct horse',
  person.token,
  'argon2',
];

describe('personal data in events', () => {
  test('is sealed: the event store contains no clear text', async () => {
    const { rows } = await pool.query<{ everything: string }>(
      'select string_agg(e::text, chr(10)) as everything from es.events e',
    );
    for (const value of clearTexts()) expect(rows[0]?.everything).not.toContain(value);
    expect(rows[0]?.everything).toContain('Las Vegas');
  });

  test('contains no password, password hash or token in any table', async () => {
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name
         from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(8);
    for (const { name } of tables) {
      const { rows } = await pool.query<{ everything: string | null }>(
        `select string_agg(t::text, chr(10)) as everything from ${name} t`,
      );
      for (const value of ['correct horse', 'argon2', person.token])
        expect(rows[0]?.everything ?? '', name).not.toContain(value);
    }
  });

  test('is replaced after the key is destroyed, and every event is still valid', async () => {
    const { dataKeys } = await loadSecrets(product.dataDir);
    const openStore = () =>
      withPersonalData(
        createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
        createDataKeys(pool, dataKeys),
      );
    const before = openStore();
    const readable = await before.readStream(toStreamId(account, person.user.id));
    expect(readable[0]?.data).toMatchObject({ email: person.email });
    await before.close();

    await pool.query('update auth.data_keys set wrapped_key = null where starts_with(account_id, $1)', [
      person.user.id,
    ]);
    const after = openStore();
    const events = await after.readAll({ after: START_POSITION });
    for (const event of events) {
      expect(findEventDefinition(event.type)).not.toBeNull();
      expect(toDomainEvent(event)).not.toBeNull();
    }
    const everything = JSON.stringify(events);
    for (const value of clearTexts()) expect(everything).not.toContain(value);
    await expect(
      after.append(
        toStreamId(account, person.user.id),
        [
          {
            id: crypto.randomUUID(),
            type: 'AccountRegistered',
            version: 1,
            data: readable[0]?.data,
            meta: {
              correlationId: 'c',
              causationId: null,
              actor: { kind: 'system', name: 'test' },
              at: new Date().toISOString(),
            },
          },
        ],
        { expectedRevision: 'any' },
      ),
    ).rejects.toThrow(/destroyed/u);
    await after.close();
  });
});
