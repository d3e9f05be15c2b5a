import type en from '../locales/en.json';

type NavName<Id = keyof typeof en> = Id extends `nav.${infer Name}` ? Exclude<Name, `group.${string}`> : never;

/** A page in the menu of the admin panel. */
interface Section {
  readonly path: string;
  /** Name of the page. Its text in the menu has the id `nav.{name}`. */
  readonly name: NavName;
  /** True if moderators may open the page. All other pages are for admins only. */
  readonly isForModerators?: true;
}

export interface SectionGroup {
  /** Name of the group. Its text in the menu has the id `nav.group.{name}`. */
  readonly name: 'state' | 'moderation' | 'people' | 'system';
  readonly sections: readonly Section[];
}

export const SECTION_GROUPS: readonly SectionGroup[] = [
  { name: 'state', sections: [{ path: '/admin', name: 'overview' }] },
  {
    name: 'moderation',
    sections: [
      { path: '/admin/moderation', name: 'moderation', isForModerators: true },
      { path: '/admin/removals', name: 'removals', isForModerators: true },
      { path: '/admin/log', name: 'log', isForModerators: true },
      { path: '/admin/transparency', name: 'transparency', isForModerators: true },
      { path: '/admin/rules', name: 'rules' },
    ],
  },
  {
    name: 'people',
    sections: [
      { path: '/admin/users', name: 'users' },
      { path: '/admin/ads', name: 'ads' },
      { path: '/admin/identity', name: 'identity' },
      { path: '/admin/verification-codes', name: 'codes' },
      { path: '/admin/staff-reads', name: 'staffReads' },
    ],
  },
  {
    name: 'system',
    sections: [
      { path: '/admin/projections', name: 'projections' },
      { path: '/admin/jobs', name: 'jobs' },
      { path: '/admin/requests', name: 'requests' },
      { path: '/admin/blog', name: 'blog' },
    ],
  },
];
