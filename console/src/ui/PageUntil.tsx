import { Loading } from "./Loading";
import { Page } from "./Page";
import { Problem } from "./Problem";

interface PageUntilProps {
  title: string;
  query: { error: Error | null; refetch: () => unknown };
}

/** The page of something until it has come: that it is on its way, or why it does not come. */
export function PageUntil({ title, query }: PageUntilProps) {
  return (
    <Page title={title}>
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  );
}
