import { Page } from '@alpenglow/ui';

export default function FrontEndsPage() {
  return <Page narrow />;
}
