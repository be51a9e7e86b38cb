"""Lets LocalStack run Node functions as processes of this machine, where there is no Docker.

LocalStack 4.14.0 loads the class that runs an environment of a function through one plug-in, and knows Docker only.
This init hook, run before its services start, puts a class in its place that starts `node` with function.cjs. It is
tied to that version, and takes zip packages with a Node handler alone.
"""

import json
import os
import select
import subprocess
import tempfile
import threading

PROGRAM = os.environ["SLUICE_FUNCTION_PROGRAM"]
NODE = os.environ["SLUICE_NODE"]
FOLDER = os.environ["SLUICE_SERVER_FOLDER"]


def make_executor():
    from localstack import config
    from localstack.services.lambda_.invocation.lambda_models import InvocationResult
    from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

    class NodeExecutor(RuntimeExecutor):
        """One environment: a process that takes one invocation after the other, and is replaced when it died."""

        def __init__(self, id, function_version):
            super().__init__(id, function_version)
            self.turn = threading.Lock()
            self.process = None
            self.answers = None
            self.log = None
            self.variables = {}

        def start(self, env_vars):
            self.variables = {name: str(value) for name, value in env_vars.items()}
            self.launch()

        def launch(self):
            code = str(self.function_version.config.code.get_unzipped_code_location())
            reading, writing = os.pipe()
            self.log = tempfile.TemporaryFile()
            self.process = subprocess.Popen(
                [NODE, PROGRAM],
                cwd=code,
                stdin=subprocess.PIPE,
                stdout=self.log,
                stderr=self.log,
                pass_fds=(writing,),
                env={
                    "PATH": os.environ["PATH"],
                    **self.variables,
                    "LAMBDA_TASK_ROOT": code,
                    "SLUICE_SERVER_FOLDER": FOLDER,
                    "SLUICE_ANSWERS": str(writing),
                },
            )
            os.close(writing)
            self.answers = os.fdopen(reading, "rb")

        def stop(self):
            if self.process and self.process.poll() is None:
                self.process.kill()
                self.process.wait()

        def invoke(self, payload):
            with self.turn:
                if self.process.poll() is not None:
                    self.launch()
                return self.ask(payload)

        def ask(self, payload):
            id = payload["invoke-id"]
            seconds = self.function_version.config.timeout
            self.log.seek(0, os.SEEK_END)
            before = self.log.tell()
            call = {
                "id": id,
                "arn": payload["invoked-function-arn"],
                "seconds": seconds,
                "event": json.loads(payload["payload"] or "null"),
            }
            try:
                self.process.stdin.write(json.dumps(call).encode() + b"\n")
                self.process.stdin.flush()
                heard = select.select([self.answers], [], [], seconds)[0]
                line = self.answers.readline() if heard else b""
                ended = bool(heard)
            except BrokenPipeError:
                line, ended = b"", True
            if line:
                answer = json.loads(line)
            else:
                self.stop()
                answer = {
                    "failed": True,
                    "value": {"errorType": "Runtime.ExitError", "errorMessage": f"RequestId: {id} Error: Runtime exited"}
                    if ended
                    else {"errorType": "Sandbox.Timedout", "errorMessage": f"{id} Task timed out after {seconds}.00 seconds"},
                }
            self.log.seek(before)
            lines = self.log.read().decode("utf-8", "replace")
            self.log.seek(0, os.SEEK_END)
            return InvocationResult(
                request_id=id,
                payload=json.dumps(answer["value"]).encode(),
                is_error=answer["failed"],
                logs=f"START RequestId: {id}\n{lines}END RequestId: {id}\n",
            )

        def get_address(self):
            return "127.0.0.1"

        def get_endpoint_from_executor(self):
            return "127.0.0.1"

        def get_runtime_endpoint(self):
            return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

        def get_logs(self):
            return ""

        @classmethod
        def prepare_version(cls, function_version):
            if function_version.config.code:
                function_version.config.code.prepare_for_execution()

        @classmethod
        def cleanup_version(cls, function_version):
            """The code is removed with the server's folder."""

        @classmethod
        def validate_environment(cls):
            return True

    return NodeExecutor


def install():
    from localstack.services.lambda_.invocation.plugins import DockerRuntimeExecutorPlugin

    made = []

    def load(self, *args, **kwargs):
        if not made:
            made.append(make_executor())
        return made[0]

    DockerRuntimeExecutorPlugin.load = load


install()
