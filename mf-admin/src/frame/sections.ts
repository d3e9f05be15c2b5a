/** Where the admin panel leads, in the order of its menu. */
export interface Section {
  readonly path: string;
  /** Text: `nav.{name}`. */
  readonly name:
    | 'overview'
    | 'moderation'
    | 'log'
    | 'transparency'
    | 'rules'
    | 'users'
    | 'ads'
    | 'identity'
    | 'codes'
    | 'staffReads'
    | 'projections'
    | 'jobs'
    | 'blog';
  /** Moderators see these, too; all others are for admins. */
  readonly isForModerators?: true;
}

export interface SectionGroup {
  /** Text: `nav.group.{name}`. */
  readonly name: 'state' | 'moderation' | 'people' | 'system';
  readonly sections: readonly Section[];
}

export const SECTION_GROUPS: readonly SectionGroup[] = [
  { name: 'state', sections: [{ path: '/admin', name: 'overview' }] },
  {
    name: 'moderation',
    sections: [
      { path: '/admin/moderation', name: 'moderation', isForModerators: true },
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
      { path: '/admin/blog', name: 'blog' },
    ],
  },
];
