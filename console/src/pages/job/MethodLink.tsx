import { Link } from "@tanstack/react-router";

/** A method's name, leading to its page. */
export function MethodLink({ method }: { method: string }) {
  const [framework = "", name = ""] = method.split("/");
  return (
    <Link to="/methods/$framework/$name" params={{ framework, name }} className="sf-link sf-mono">
      {method}
    </Link>
  );
}
