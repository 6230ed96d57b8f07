"""The face of scripts: `ccagent -p`, one or more prompts in, text or JSON out."""
