FROM python:3.12.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app

# The requirements come before the code, so that a change of code doesn't install them again.
COPY requirements.txt pyproject.toml README.md ./
COPY streamapp/__init__.py streamapp/__init__.py
RUN pip install --no-cache-dir --constraint requirements.txt ".[kafka,kinesis,postgres,pydantic,celery]" django-environ \
    && pip uninstall --yes django-streamapp

COPY manage.py ./
COPY streamapp streamapp
COPY projects projects

RUN useradd --system --create-home streamapp
USER streamapp
CMD ["python", "manage.py", "runconsumers"]
