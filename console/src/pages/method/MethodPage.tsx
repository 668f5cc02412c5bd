import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { methodQuery } from "@/api/queries";
import { both } from "@/i18n";
import { CommandBlock } from "@/ui/CommandBlock";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";

/** A method's summary and the commands that show it in full and start from it. */
export function MethodPage() {
  const { framework, name } = useParams({ strict: false }) as { framework: string; name: string };
  const full = `${framework}/${name}`;
  const method = useQuery(methodQuery(full));
  return (
    <Page title={full} subtitle={method.data && both(method.data.summary)}>
      {method.error && <Problem error={method.error} onRetry={() => void method.refetch()} />}
      {method.isPending && <Loading />}
      {method.data && <CommandBlock text={`sf methods ${full}\nsf new my-run --method ${full}`} />}
    </Page>
  );
}
