"""Sign-in of the web console."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.server.api.deps import CoreDep, require_user, session_of
from starforge.server.services.account import account
from starforge.server.sessions import CODE_SECONDS, SESSION_SECONDS, Session
from starforge.wire.base import from_unix
from starforge.wire.session import SessionInfo, SignIn, SignInCode

router = APIRouter(tags=["session"])

FoundSession = Annotated[Session | None, Depends(session_of)]


@router.post("/session")
def sign_in(body: SignIn, core: CoreDep, request: Request, response: Response) -> SessionInfo:
    """Sign a browser in with a one-time code or the server's token: sets the cookie."""
    if (body.code is None) == (body.token is None):
        raise StarForgeError(
            "auth/code-or-token",
            Text("give either a code or a token", "请只提供 code 或 token 之一"),
            exit_code=ExitCode.USAGE,
            status=400,
        )
    if body.code is not None:
        core.sessions.redeem(body.code)
    else:
        core.tokens.require_user(f"Bearer {body.token}")
    session, value = core.sessions.start()
    response.set_cookie(
        core.sessions.cookie,
        value,
        max_age=SESSION_SECONDS,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return SessionInfo(user=account(), via="cookie", expires_at=from_unix(session.expires))


@router.get("/session", dependencies=[Depends(require_user)])
def who(session: FoundSession) -> SessionInfo:
    """Say who asks."""
    if session is None:
        return SessionInfo(user=account(), via="token")
    return SessionInfo(user=account(), via="cookie", expires_at=from_unix(session.expires))


@router.delete("/session", status_code=204, dependencies=[Depends(require_user)])
def sign_out(core: CoreDep, session: FoundSession) -> Response:
    """End the session of the cookie; a token stays valid."""
    if session is not None:
        core.sessions.end(session)
    response = Response(status_code=204)
    response.delete_cookie(core.sessions.cookie, path="/", httponly=True, samesite="strict")
    return response


@router.post("/session/code", status_code=201, dependencies=[Depends(require_user)])
def code(core: CoreDep) -> SignInCode:
    """Hand out a one-time code for a browser."""
    made = core.sessions.new_code()
    return SignInCode(code=made, path=f"/login#code={made}", expires_in=CODE_SECONDS)
